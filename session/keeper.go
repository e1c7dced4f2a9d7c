package session

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/catchlens/catchlens/internal/sealed"
)

// A subject is what a kept file is about. It begins the file's name.
type subject string

// The subjects of what one process tells the next ones.
const (
	limitMet            subject = "met-limit"        // the last call graph that met a limit
	ruledOut            subject = "ruled-out"        // the links that refining took away
	librarySettings     subject = "library-settings" // settings of the JDK that libraries make
	unfinishedBaselines subject = "baseline-partial" // modules without a whole baseline
	trustedJDKs         subject = "trusted-jdks"     // JDKs that catchlens.toml may name
	executionsCounted   subject = "executions"       // how often code was executed, where that was counted
	standings           subject = "standings"        // how catches stood at the end of runs, by roots
)

// A keeper keeps what one process of a workspace has found out for the next ones, beside the
// results: a sealed file for each subject and key, written under one lock. A file that is damaged
// counts as one that is not there.
type keeper struct {
	folder string
	log    *slog.Logger
}

// keptFor is how long what depends on more than its key says (the workspace's own code, which may
// have become smaller) is believed.
const keptFor = 7 * 24 * time.Hour

// maxKeeping is how long another process is waited for that writes.
const maxKeeping = 5 * time.Second

func (k keeper) path(s subject, key string) string {
	if key == "" {
		return filepath.Join(k.folder, string(s))
	}
	return filepath.Join(k.folder, string(s)+"-"+key)
}

// read returns what is kept of a subject under a key, and how old it is; nil if nothing is.
func (k keeper) read(s subject, key string) (content []byte, age time.Duration) {
	file := k.path(s, key)
	content, err := sealed.Read(file, filepath.Base(file))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			k.log.Debug("what was kept is not known any more", "subject", s, "error", err)
		}
		return nil, 0
	}
	if info, err := os.Stat(file); err == nil {
		age = time.Since(info.ModTime())
	}
	return content, age
}

// write keeps content; empty: nothing is kept any more.
func (k keeper) write(s subject, key string, content []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), maxKeeping)
	defer cancel()
	lock := k.lock()
	_, err := lock.TryLockContext(ctx, 20*time.Millisecond)
	if err == nil {
		defer lock.Unlock()
		if file := k.path(s, key); len(content) == 0 {
			err = os.RemoveAll(file)
		} else {
			err = sealed.Write(file, filepath.Base(file), content)
		}
	}
	if err != nil {
		k.log.Debug("what was found out is not kept", "subject", s, "error", err)
	}
}

// dropOld removes what is kept of a subject and was not written for keptFor.
func (k keeper) dropOld(s subject) {
	entries, _ := os.ReadDir(k.folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), string(s)+"-") &&
			time.Since(info.ModTime()) > keptFor {
			os.Remove(filepath.Join(k.folder, e.Name()))
		}
	}
}

// lock is the lock of those who write.
func (k keeper) lock() *flock.Flock { return sealed.Lock(filepath.Join(k.folder, "keeper.lock")) }

// clear removes what killed processes have left of what they were writing; while somebody writes,
// nothing.
func (k keeper) clear() {
	entries, _ := os.ReadDir(k.folder) // not there yet: nothing is left
	var left []string
	for _, e := range entries {
		if sealed.IsTemp(e.Name()) {
			left = append(left, e.Name())
		}
	}
	if len(left) == 0 {
		return
	}
	lock := k.lock()
	if locked, err := lock.TryLock(); err != nil || !locked {
		return
	}
	defer lock.Unlock()
	for _, name := range left {
		os.Remove(filepath.Join(k.folder, name))
	}
}
