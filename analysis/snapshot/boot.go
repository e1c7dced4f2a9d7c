package snapshot

import (
	"fmt"
	"os"
	"sync"

	"catchlens/analysis/pointsto"
)

// This file keeps what points-to analysis finds out about a JDK alone for the next
// process.

// stateKind names the states that this executable can read; "" if it does not know itself.
// Another build of the program may find something else, or lay it out differently.
var stateKind = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint("points-to ", path, info.Size(), " ", info.ModTime().UnixNano())
})

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
