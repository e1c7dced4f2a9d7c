package factcache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
)

// image is a jar that is taken for a JDK.
type image struct {
	classpath.Entry
	digest string
}

func (i image) Kind() classpath.Kind    { return classpath.KindImage }
func (i image) Digest() (string, error) { return i.digest, nil }

func writing(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// What is kept of a JDK is found for the same JDK, options and kind, and only as often as it
// was used of late; those of other formats count, too.
func TestState(t *testing.T) {
	dir := t.TempDir()
	_, jar := compileFixtures(t)
	path := classpath.Open([]string{jar}, classpath.Options{Feature: 17})
	defer path.Close()
	cache := OpenCache(dir)
	open := func(digest string, o facts.Options) *Provider {
		return NewProvider(cache, []classpath.Entry{image{path.Entries[0], digest}}, 17, o)
	}
	state := func(p *Provider, kind string) string {
		data, done := p.State(kind)
		defer done()
		return string(bytes.Clone(data))
	}
	jdk := open("17", facts.Options{})
	if got := state(jdk, "a"); got != "" {
		t.Errorf("there is %q", got)
	}
	for _, text := range []string{"first", "second"} {
		if err := jdk.KeepState("a", 0, writing(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := jdk.KeepState("a", 0, func(w io.Writer) error {
		return errors.Join(writing("third")(w),
			errors.New("full"))
	}); err == nil {
		t.Error("what could not be written whole was kept")
	}
	if err := jdk.KeepState("a", time.Hour, writing("fourth")); err != nil {
		t.Error(err)
	}
	if got := state(open("17", facts.Options{}), "a"); got != "second" {
		t.Errorf("there is %q", got)
	}
	own, _ := jdk.stateFile("a")
	ahead := time.Now().Add(time.Hour)
	if err := errors.Join(os.Chtimes(own, ahead, ahead), jdk.KeepState("a", time.Hour, writing("second"))); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(own); err != nil || info.ModTime().After(time.Now()) {
		t.Errorf("one from a time to come stays: %v", err)
	}
	if a, b, c := state(jdk, "b"), state(open("18", facts.Options{}),
		"a"), state(open("17", facts.Options{Implicit: true}), "a"); a+b+c != "" {
		t.Errorf("of another kind, JDK or options: %q, %q, %q", a, b, c)
	}
	if err := jdk.KeepState("b", 0, writing("of b")); err != nil {
		t.Fatal(err)
	}
	other, _ := jdk.stateFile("b")
	if err := os.Rename(other, own); err != nil {
		t.Fatal(err)
	}
	if got := state(jdk, "a"); got != "" {
		t.Errorf("of another kind under this name: %q", got)
	}
	if err := jdk.KeepState("a", 0, writing("second")); err != nil {
		t.Fatal(err)
	}
	library := NewProvider(cache, path.Entries, 17, facts.Options{})
	if err := library.KeepState("a", 0, writing("x")); err != nil || state(library, "a") != "" {
		t.Errorf("of a jar: %v", err)
	}

	before := filepath.Join(dir, formatPrefix+"1")
	if err := os.Mkdir(before, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxStates + 2 {
		other := filepath.Join([]string{filepath.Dir(own), before}[i%2], fmt.Sprint(i, stateSuffix))
		if err := os.WriteFile(other, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(other, time.Time{}, time.Now().Add(time.Duration(-i-1)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	cache.prune()
	left, _ := filepath.Glob(filepath.Join(dir, "*", "*"+stateSuffix))
	if len(left) != maxStates || state(jdk, "a") != "second" {
		t.Errorf("left are %q", left)
	}
	large := filepath.Join(filepath.Dir(own), "large"+stateSuffix)
	if err := errors.Join(os.WriteFile(large, nil, 0o600), os.Truncate(large, maxStateBytes-3),
		os.Chtimes(large, time.Time{}, time.Now().Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	cache.prune()
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*"+stateSuffix)); len(left) != 1 || left[0] != large {
		t.Errorf("beside one of %d bytes %q are left", maxStateBytes-3, left)
	}
	if _, err := os.Stat(before); err == nil {
		t.Error("the empty folder of another format is left")
	}
	if c := open("17", facts.Options{}).Containers(); c == "" || c == open("18", facts.Options{}).Containers() ||
		c != jdk.Containers() || c == library.Containers() {
		t.Errorf("the contents are called %q", c)
	}
}
