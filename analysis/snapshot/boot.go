package snapshot

import (
	"fmt"
	"os"
	"sync"

	"catchlens/analysis/pointsto"
)

// This file keeps what points-to analysis finds out about a JDK alone for the next
// process.

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

// stateKind names the states that this executable can read; "" if there are none.
// Another build of the program may find something else, or lay it out differently.
func stateKind() string {
	if e := Executable(); e != "" {
		return "points-to " + e
	}
	return ""
}

// boot is what is kept of the JDK for an analysis; nil where nothing is.
func (l *libraries) boot() *pointsto.Boot {
	if l.jdk == nil || stateKind() == "" {
		return nil
	}
	return &pointsto.Boot{
		State:     func() ([]byte, func()) { return l.provider.State(stateKind()) },
		Providers: func(service string) []string { return l.jdkServices()[service] },
		OfJDK: func(class string) bool {
			_, at, _ := l.provider.Load(class)
			return at == 0
		},
		Keep: func(state []byte) { l.state = state },
	}
}
