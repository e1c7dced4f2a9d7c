// Command outcomes reads the XML reports of Maven Surefire in a folder and
// prints one line for each test method, sorted: class#method, a tab, and pass,
// fail or skip. The invocations of a parameterised, repeated or dynamic test are
// one line: fail if one failed, skip if all were skipped. What a class's fixture
// did stands under class#(class).
//
// With -summary it prints the counts, the SHA-256 of those lines, and the lines
// that are not pass: the form of bench/projects/reference.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// suite is what matters of a report's testsuite element.
type suite struct {
	Cases []struct {
		Name    string    `xml:"name,attr"`
		Class   string    `xml:"classname,attr"`
		Failure *struct{} `xml:"failure"`
		Error   *struct{} `xml:"error"`
		Skipped *struct{} `xml:"skipped"`
	} `xml:"testcase"`
}

// outcomes are ordered so that the worst of several is the greatest.
type outcome int

const (
	skip outcome = iota
	pass
	fail
)

func (o outcome) String() string { return [...]string{"skip", "pass", "fail"}[o] }

func main() {
	summary := flag.Bool("summary", false, "print counts, digest, and what did not pass")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: outcomes [-summary] FOLDER")
		os.Exit(2)
	}
	if err := run(os.Stdout, flag.Arg(0), *summary); err != nil {
		fmt.Fprintln(os.Stderr, "outcomes:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, folder string, summary bool) error {
	files, err := filepath.Glob(filepath.Join(folder, "TEST-*.xml"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no reports in %s", folder)
	}
	results := make(map[string]outcome)
	for _, f := range files {
		if err := read(f, results); err != nil {
			return err
		}
	}
	return write(out, results, summary)
}

// read adds one report to the results.
func read(file string, results map[string]outcome) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var s suite
	if err := xml.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, c := range s.Cases {
		o := pass
		switch {
		case c.Failure != nil || c.Error != nil:
			o = fail
		case c.Skipped != nil:
			o = skip
		}
		key := c.Class + "#" + method(c.Name, c.Class)
		if old, ok := results[key]; !ok || o > old {
			results[key] = o
		}
	}
	return nil
}

// method takes the method's name from a test case's, which may go on with
// parameter types and the number of the invocation.
func method(name, class string) string {
	if name == "" || name == class {
		return "(class)"
	}
	if i := strings.IndexAny(name, "({["); i > 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

func write(out io.Writer, results map[string]outcome, summary bool) error {
	var lines []string
	counts := make(map[outcome]int)
	for key, o := range results {
		lines = append(lines, key+"\t"+o.String())
		counts[o]++
	}
	slices.Sort(lines)
	w := bufio.NewWriter(out)
	if summary {
		digest := sha256.Sum256([]byte(strings.Join(lines, "\n") + "\n"))
		fmt.Fprintf(w, "# %d passed, %d failed, %d skipped\n# sha256 of all lines: %x\n",
			counts[pass], counts[fail], counts[skip], digest)
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasSuffix(l, "\tpass") })
	}
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	return w.Flush()
}
