package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"catchlens/analysis/snapshot"
	"catchlens/internal/sealed"
)

// This file keeps beside the results what refining ruled out, so that a restarted editor does
// not show for some seconds what it had taken away.

// ruledOutFile is where what was ruled out with these settings stands.
func (s *Session) ruledOutFile(cfg snapshot.Config) string {
	sum := sha256.Sum256([]byte(cfg.Studied.String() + "\n" + cfg.EntryPoints))
	return filepath.Join(s.folder, "ruled-out-"+hex.EncodeToString(sum[:6]))
}

// ruledOut is what refined links have ruled out, in an earlier process if in none of this one;
// nil if nothing was, or links are not refined any more.
func (s *Session) ruledOut(cfg snapshot.Config) *snapshot.RuledOut {
	r := &s.refiner
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ruledOut != nil || r.tooMuch == len(snapshot.Refined) {
		return r.ruledOut
	}
	file := s.ruledOutFile(cfg)
	content, err := sealed.Read(file, filepath.Base(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		r.ruledOut, err = snapshot.ReadRuledOut(bytes.NewReader(content))
	}
	if err != nil {
		s.log.Debug("what was ruled out is not known any more", "error", err)
		r.ruledOut = nil
	}
	return r.ruledOut
}

// maxRuledOutWait is how long another process is waited for that writes one.
const maxRuledOutWait = 5 * time.Second

// ruledOutLock is the lock of those who write to such files.
func ruledOutLock(folder string) *flock.Flock {
	return sealed.Lock(filepath.Join(folder, "ruled-out.lock"))
}

// clearRuledOut removes what killed processes have left of what they were writing; while somebody
// writes, nothing.
func clearRuledOut(folder string) {
	entries, _ := os.ReadDir(folder) // not there yet: nothing is left
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !sealed.IsTemp(e.Name()) })
	if len(entries) == 0 {
		return
	}
	lock := ruledOutLock(folder)
	if locked, err := lock.TryLock(); err != nil || !locked {
		return
	}
	defer lock.Unlock()
	for _, e := range entries {
		os.Remove(filepath.Join(folder, e.Name()))
	}
}

// keepRuledOut keeps what was ruled out for the next process.
func (s *Session) keepRuledOut(cfg snapshot.Config, out *snapshot.RuledOut) {
	ctx, cancel := context.WithTimeout(context.Background(), maxRuledOutWait)
	defer cancel()
	lock := ruledOutLock(s.folder)
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		s.log.Debug("what was ruled out is not kept", "error", err)
		return
	}
	defer lock.Unlock()
	file := s.ruledOutFile(cfg)
	var content bytes.Buffer
	err := out.Write(&content)
	if err == nil {
		err = sealed.Write(file, filepath.Base(file), content.Bytes())
	}
	if err != nil {
		s.log.Debug("what was ruled out is not kept", "error", err)
	}
}
