package session

import (
	"os"
	"path/filepath"
	"testing"
)

// What a killed process has left of what it was writing is removed, unless somebody writes; what
// was ruled out stays.
func TestClearRuledOut(t *testing.T) {
	folder := t.TempDir()
	left, kept := filepath.Join(folder, ".new-123"), filepath.Join(folder, "ruled-out-0123456789ab")
	for _, f := range []string{left, kept} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there := func(f string) bool {
		_, err := os.Stat(f)
		return err == nil
	}
	lock := ruledOutLock(folder)
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	if clearRuledOut(folder); !there(left) {
		t.Error("removed while another process writes")
	}
	lock.Unlock()
	if clearRuledOut(folder); there(left) || !there(kept) {
		t.Errorf("left behind: %v, kept: %v", there(left), there(kept))
	}
}
