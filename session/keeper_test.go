package session

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What a killed process has left of what it was writing is removed, unless somebody writes; what is
// kept stays.
func TestKeeperClears(t *testing.T) {
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
	k := keeper{folder, slog.New(slog.DiscardHandler)}
	lock := k.lock()
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	if k.clear(); !there(left) {
		t.Error("removed while another process writes")
	}
	lock.Unlock()
	if k.clear(); there(left) || !there(kept) {
		t.Errorf("left behind: %v, kept: %v", there(left), there(kept))
	}
}

// What is kept comes back under its subject and key, with its age; what was damaged or is empty is
// not there.
func TestKeeper(t *testing.T) {
	k := keeper{t.TempDir(), slog.New(slog.DiscardHandler)}
	k.write(ruledOut, "a", []byte("one"))
	k.write(ruledOut, "b", []byte("two"))
	k.write(limitMet, "a", []byte("three"))
	k.write(trustedJDKs, "", []byte("four"))
	read := func(s subject, key string) string {
		content, age := k.read(s, key)
		if age < 0 || age > time.Minute {
			t.Errorf("%s %s is %v old", s, key, age)
		}
		return string(content)
	}
	got := []string{read(ruledOut, "a"), read(ruledOut, "b"), read(limitMet, "a"), read(trustedJDKs, ""),
		read(limitMet, "b")}
	if want := []string{"one", "two", "three", "four", ""}; !slices.Equal(got, want) {
		t.Errorf("kept is %q, want %q", got, want)
	}
	for _, key := range []string{"a", "b"} { // the content of another subject, and old content
		if err := os.Rename(k.path(ruledOut, key), k.path(limitMet, key)); err != nil {
			t.Fatal(err)
		}
	}
	k.write(trustedJDKs, "", nil)
	if a, b, c := read(limitMet, "a"), read(limitMet, "b"), read(trustedJDKs, ""); a+b+c != "" {
		t.Errorf("read %q and %q of another subject, %q of nothing", a, b, c)
	}
	old := time.Now().Add(-keptFor - time.Hour)
	if err := os.Chtimes(k.path(limitMet, "a"), old, old); err != nil {
		t.Fatal(err)
	}
	k.dropOld(limitMet)
	if entries, err := filepath.Glob(k.path(limitMet, "*")); err != nil || !slices.Equal(entries,
		[]string{k.path(limitMet, "b")}) {
		t.Errorf("left are %q: %v", entries, err)
	}
}
