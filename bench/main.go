// Command bench measures catchlens. Each measurement is a subcommand with flags of its own:
//
//	go run ./bench                 lists them
//	go run ./bench NAME -h         says what flags one has
//	go run ./bench NAME FLAGS...
//
// Folders beside this file lay out what is measured (projects, faults, reproduction,
// verdicts: each has a fetch.sh). What came of measurements stands dated in journal.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"slices"

	"github.com/catchlens/catchlens/bench/chains"
	"github.com/catchlens/catchlens/bench/coverage"
	"github.com/catchlens/catchlens/bench/edits"
	"github.com/catchlens/catchlens/bench/faults"
	"github.com/catchlens/catchlens/bench/figures"
	"github.com/catchlens/catchlens/bench/latency"
	"github.com/catchlens/catchlens/bench/outcomes"
	"github.com/catchlens/catchlens/bench/peers"
	"github.com/catchlens/catchlens/bench/reproduction"
	"github.com/catchlens/catchlens/bench/verdicts"
	"github.com/catchlens/catchlens/internal/sandbox"
)

// measurement is a subcommand: its name, which is also that of its folder, what it measures,
// and what runs it with the arguments behind its name.
type measurement struct {
	name, about string
	run         func(args []string) error
}

var measurements = []measurement{
	{"figures", "analysis cold and warm, lens requests, and campaigns of the five projects", figures.Run},
	{"edits", "how soon a session follows edits of class files", edits.Run},
	{"chains", "Table 2 of Rountev et al. 2004", chains.Run},
	{"coverage", "what coverage costs the tests of real projects, ours and JaCoCo's", coverage.Run},
	{"latency", "how soon after an edit inside a try its verdict is back", latency.Run},
	{"faults", "campaigns with faults on programs with real input and output", faults.Run},
	{"peers", "other whole-program analyses on the same input", peers.Run},
	{"reproduction", "Table 1 of Cornu et al. 2014", reproduction.Run},
	{"verdicts", "the audit of verdicts on projects that no test knows", verdicts.Run},
	{"outcomes", "what a folder of Surefire reports says of each test method", outcomes.Run},
}

func main() {
	sandbox.MaybeRunAsHelper()
	log.SetFlags(0)
	if len(os.Args) < 2 || slices.Contains([]string{"-h", "-help", "--help", "help"}, os.Args[1]) {
		list(os.Stdout)
		return
	}
	at := slices.IndexFunc(measurements, func(m measurement) bool { return m.name == os.Args[1] })
	if at < 0 {
		fmt.Fprintf(os.Stderr, "there is no measurement %s\n\n", os.Args[1])
		list(os.Stderr)
		os.Exit(2)
	}
	if err := measurements[at].run(os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

// list writes the measurements, one a line.
func list(out io.Writer) {
	fmt.Fprintln(out, "usage: go run ./bench NAME [FLAGS]; NAME -h lists the flags")
	for _, m := range measurements {
		fmt.Fprintf(out, "  %-13s %s\n", m.name, m.about)
	}
}
