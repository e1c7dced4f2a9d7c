package session

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"catchlens/analysis/snapshot"
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
	f, err := os.Open(s.ruledOutFile(cfg))
	if err != nil {
		return nil
	}
	defer f.Close()
	if r.ruledOut, err = snapshot.ReadRuledOut(bufio.NewReader(f)); err != nil {
		s.log.Debug("what was ruled out is not known any more", "error", err)
		r.ruledOut = nil
	}
	return r.ruledOut
}

// ruledOutTemp is the pattern of the files that what was ruled out is written to.
const ruledOutTemp = "ruled-out-*.tmp"

// maxRuledOutWait is how long another process is waited for that writes one.
const maxRuledOutWait = 5 * time.Second

// ruledOutLock is the lock of those who write to such files.
func ruledOutLock(folder string) *flock.Flock {
	return flock.New(filepath.Join(folder, "ruled-out.lock"))
}

// clearRuledOut removes what killed processes have left of what they were writing; while somebody
// writes, nothing.
func clearRuledOut(folder string) {
	entries, _ := os.ReadDir(folder) // not there yet: nothing is left
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { ours, _ := filepath.Match(ruledOutTemp, e.Name()); return !ours })
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
	f, err := os.CreateTemp(s.folder, ruledOutTemp)
	if err == nil {
		w := bufio.NewWriter(f)
		if err = out.Write(w); err == nil {
			err = w.Flush()
		}
		if e := f.Close(); err == nil {
			err = e
		}
		if err == nil {
			err = os.Rename(f.Name(), s.ruledOutFile(cfg))
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}
	if err != nil {
		s.log.Debug("what was ruled out is not kept", "error", err)
	}
}
