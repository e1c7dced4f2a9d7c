//go:build !unix

package tempdir

import (
	"io/fs"
	"os"
)

// hold locks nothing: no folder can be locked here.
func hold(string) (*os.File, bool) { return nil, false }

// ours is not asked: nothing can be locked.
func ours(fs.FileInfo) bool { return false }
