//go:build !unix

package tempdir

import (
	"io/fs"
	"os"
)

// lockFolder locks nothing: no folder can be locked here.
func lockFolder(string) (*os.File, bool) { return nil, false }

// belongsToUser is not asked: nothing can be locked.
func belongsToUser(fs.FileInfo) bool { return false }
