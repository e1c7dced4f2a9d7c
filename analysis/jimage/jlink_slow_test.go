//go:build slow

package jimage

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestJlinkedImages links images of java.base with each compression that jlink
// offers and compares every resource with the one in an image without.
func TestJlinkedImages(t *testing.T) {
	for _, home := range testjdk.All(t) {
		feature := testjdk.Feature(t, home)
		options := map[string][]string{"compact-cp": {"--compress=1"}, "zip": {"--compress=2"}}
		if feature >= 21 { // jlink --help: zip-0 to zip-9
			options = map[string][]string{"zip": {"--compress=zip-6"}}
		}
		if feature < 9 {
			continue
		}
		plain := link(t, home, "--compress=0")
		for name, option := range options {
			packed := link(t, home, option...)
			compressed, n := 0, 0
			err := plain.Each(func(l Location, err error) error {
				if err != nil {
					return err
				}
				want, err := plain.Read(l)
				if err != nil {
					return err
				}
				n++
				p, ok, err := packed.Find(l.Module, l.Name())
				if err != nil || !ok {
					t.Errorf("%s %s: /%s/%s: %v, %v", home, name, l.Module, l.Name(), ok, err)
					return nil
				}
				if p.Compressed != 0 {
					compressed++
				}
				if got, err := packed.Read(p); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s %s: /%s/%s: %d bytes, want %d, %v", home, name, l.Module, l.Name(), len(got),
						len(want), err)
				}
				return nil
			})
			if err != nil || n < 6000 || compressed < 5000 {
				t.Errorf("%s %s: %d resources, %d compressed, %v", home, name, n, compressed, err)
			}
		}
	}
}

// link makes an image of java.base.
func link(t *testing.T, home string, options ...string) *Reader {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image")
	args := append([]string{"--add-modules", "java.base", "--output", out}, options...)
	if text, err := exec.Command(testjdk.Tool(home, "jlink"), args...).CombinedOutput(); err != nil {
		t.Fatalf("jlink %v: %v\n%s", args, err, text)
	}
	r, err := Open(PathIn(out))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		os.RemoveAll(out)
	})
	return r
}
