package build

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file keeps what points-to analysis finds out about the JDK, and about what the
// workspace calls of libraries, for the next process.

// Executable names the executable that runs, one for each build of it; "" if it does not know
// itself.
var Executable = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(path, info.Size(), " ", info.ModTime().UnixNano())
})

// stateKind names the states of a policy that this executable can read; "" if there are none.
// Another build of the program may find something else, or lay it out differently.
func stateKind(p pointsto.Policy) string {
	if e := Executable(); e != "" {
		return fmt.Sprint("points-to ", p, " ", e)
	}
	return ""
}

// librariesKind is stateKind of what the workspace calls of its libraries.
func (l *libraries) librariesKind(p pointsto.Policy) string {
	kind, contents := stateKind(p), l.provider.Containers()
	if kind == "" || contents == "" {
		return ""
	}
	return strings.Join([]string{kind, l.root, contents}, "\n")
}

// librariesLeast is how long what was kept of libraries stays: calls of libraries come and go while
// somebody works, and each time 100 MB would be written.
const librariesLeast = 10 * time.Minute

// boot is what is kept of the JDK and the libraries for an analysis; nil where nothing is.
func (l *libraries) boot() *pointsto.Boot {
	if l.jdk == nil || Executable() == "" {
		return nil
	}
	of := func(kind func(pointsto.Policy) string, least time.Duration) pointsto.Part {
		return pointsto.Part{
			State: func(p pointsto.Policy) ([]byte, func()) {
				if k := kind(p); k != "" {
					return l.provider.State(k)
				}
				return nil, func() {}
			},
			Keep: func(p pointsto.Policy, write func(io.Writer) error) {
				if k := kind(p); k != "" {
					l.provider.KeepState(k, least, write)
				}
			},
		}
	}
	b := &pointsto.Boot{JDK: of(stateKind, 0), Libraries: of(l.librariesKind, librariesLeast)}
	b.JDK.Providers = func(service string) []string { return l.jdkServices()[service] }
	b.JDK.Has = func(class string) bool {
		_, at, _ := l.provider.Load(class)
		return at == 0
	}
	jars := sync.OnceValue(l.jarServices)
	b.Libraries.Providers = func(service string) []string {
		return append(jars()[service],
			l.jdkServices()[service]...)
	}
	b.Libraries.Has = l.provider.Contained
	return b
}

// jarServices are the services of the class path's jars.
func (l *libraries) jarServices() map[string][]string {
	var jars classpath.Path
	for _, e := range l.path.Entries {
		if e.Kind() != classpath.KindFolder {
			jars.Entries = append(jars.Entries, e)
		}
	}
	found, _ := jars.Services()
	return found
}
