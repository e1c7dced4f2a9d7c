//go:build slow

package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// A client that says that it watches files may leave out the folder that a build writes to: what is
// built is noticed without it.
func TestUnreportedBuildIsNoticed(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "src", "p", "C.java")
	os.MkdirAll(filepath.Dir(file), 0o755)
	text := `package p; class C { public static void main(String[] a) { try { Thread.sleep(1); } catch (InterruptedException e) { } } }`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Open([]string{root}, Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	first := s.View().Snap
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(root, "classes"), file)
	for end := time.Now().Add(6 * pollWatched); s.View().Snap == first; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the class file is not noticed")
		}
	}
	if c := s.View().Snap.Catches; len(c) != 1 || !c[0].Compiled {
		t.Errorf("catches %v", c)
	}
}
