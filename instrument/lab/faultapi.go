package lab

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/instrument/osfault"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/bounded"
)

// This file serves tests that inject faults themselves, by the artifact in
// fault-api (docs/reference/fault-api.md): their JVMs run above the os engine.

// faultAPI is the class that tells that the artifact is on a class path.
const faultAPI = "catchlens/fault/Faults.class"

// usesFaultAPI tells whether a class path has the artifact.
func usesFaultAPI(classPath []string) bool {
	for _, entry := range classPath {
		info, err := os.Stat(entry)
		if err != nil {
			continue
		}
		if info.IsDir() {
			if _, err := os.Stat(filepath.Join(entry, filepath.FromSlash(faultAPI))); err == nil {
				return true
			}
			continue
		}
		if strings.HasSuffix(entry, ".jar") && hasEntry(entry, faultAPI) {
			return true
		}
	}
	return false
}

func hasEntry(jar, name string) bool {
	r, err := bounded.OpenZip(jar)
	if err != nil {
		return false
	}
	defer r.Close()
	for _, f := range r.File {
		if f.Name == name {
			return true
		}
	}
	return false
}

// serveFaultAPI lets the JVM's tests inject faults, where they can. Where that is
// not to be had they give up by themselves, as outside of catchlens.
func (l *Lab) serveFaultAPI(spec *worker.Spec) error {
	l.faultAPI.Do(func() { l.injects = usesFaultAPI(spec.ClassPath) })
	if !l.injects {
		return nil
	}
	e, err := osfault.NewEngine()
	if err != nil {
		l.note("tests that inject faults are skipped: %v", err)
		return nil
	}
	return e.Prepare(spec)
}
