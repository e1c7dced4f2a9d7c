// Package outcomes reads the XML reports of Maven Surefire in a folder and
// prints one line for each test method, sorted: class#method, a tab, and pass,
// fail or skip. The invocations of a parameterised, repeated or dynamic test are
// one line: fail if one failed, skip if all were skipped. What a class's fixture
// did stands under class#(class).
//
// With -summary it prints the counts, the SHA-256 of those lines, and the lines
// that are not pass: the form of bench/projects/reference.
package outcomes

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/bench/surefire"
)

// Run prints the outcomes of the folder that the arguments name.
func Run(args []string) error {
	flags := flag.NewFlagSet("outcomes", flag.ExitOnError)
	summary := flags.Bool("summary", false, "print counts, digest, and what did not pass")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: outcomes [-summary] FOLDER")
	}
	return run(os.Stdout, flags.Arg(0), *summary)
}

func run(out io.Writer, folder string, summary bool) error {
	cases, err := surefire.Read(folder)
	if err != nil {
		return err
	}
	results := make(map[string]surefire.Outcome)
	for _, c := range cases {
		if old, ok := results[c.Key()]; !ok || c.Outcome > old {
			results[c.Key()] = c.Outcome
		}
	}
	return write(out, results, summary)
}

func write(out io.Writer, results map[string]surefire.Outcome, summary bool) error {
	var lines []string
	counts := make(map[surefire.Outcome]int)
	for key, o := range results {
		lines = append(lines, key+"\t"+o.String())
		counts[o]++
	}
	slices.Sort(lines)
	w := bufio.NewWriter(out)
	if summary {
		digest := sha256.Sum256([]byte(strings.Join(lines, "\n") + "\n"))
		fmt.Fprintf(w, "# %d passed, %d failed, %d skipped\n# sha256 of all lines: %x\n",
			counts[surefire.Pass], counts[surefire.Fail], counts[surefire.Skip], digest)
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasSuffix(l, "\tpass") })
	}
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	return w.Flush()
}
