package rewrite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func TestAbstractStub(t *testing.T) {
	home := testjdk.JDK(t, 17)
	dir := t.TempDir()
	testjdk.Javac(t, home, 8, nil, dir, filepath.Join("testdata", "Stubs.java"))
	image, err := jimage.Open(jimage.PathIn(home))
	if err != nil {
		t.Fatal(err)
	}
	defer image.Close()
	factsOf := func(name string) *facts.Class {
		data, err := os.ReadFile(filepath.Join(dir, name+".class"))
		if err != nil {
			ok := false
			if data, ok, err = image.ReadFile("java.base", name+".class"); !ok || err != nil {
				return nil
			}
		}
		_, f := planFor(t, data, plan.None)
		return f
	}
	data, name, err := AbstractStub("Stubs$Lower", factsOf)
	if err != nil {
		t.Fatal(err)
	}
	if name != "Stubs$Lower"+StubSuffix {
		t.Errorf("name %q", name)
	}
	if err := writeClass(filepath.Join(dir, name+".class"), data); err != nil {
		t.Fatal(err)
	}
	if out := runJava(t, home, append(fullVerification, "-cp", dir,
		"Stubs")...); out != "2 constructors\nstubs work\n" {
		t.Errorf("printed %q", out)
	}
}

func TestAbstractStubErrors(t *testing.T) {
	init := []facts.Method{{Name: "<init>", Desc: "()V"}}
	known := map[string]*facts.Class{
		"Final":     {Name: "Final", Access: classfile.AccFinal, Methods: init},
		"Interface": {Name: "Interface", Access: classfile.AccInterface},
		"Private": {Name: "Private",
			Methods: []facts.Method{{Name: "<init>", Desc: "()V", Access: classfile.AccPrivate}}},
		"NoSuper":     {Name: "NoSuper", Super: "Gone", Methods: init},
		"NoInterface": {Name: "NoInterface", Interfaces: []string{"Gone"}, Methods: init},
		"Circle":      {Name: "Circle", Super: "Circle", Methods: init},
	}
	for name, want := range map[string]string{
		"Absent": "Absent is unknown", "Final": "cannot be extended", "Interface": "cannot be extended",
		"Private": "only private", "NoSuper": "Gone is unknown", "NoInterface": "Gone is unknown",
		"Circle": "extends itself",
	} {
		_, _, err := AbstractStub(name, func(n string) *facts.Class { return known[n] })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
