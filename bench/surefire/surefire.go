// Package surefire reads the reports that Maven Surefire leaves of a build's tests.
package surefire

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Outcome of a test. They are ordered so that the worst of several is the greatest.
type Outcome int

// The outcomes that Surefire tells apart; an error counts as a failure.
const (
	Skip Outcome = iota
	Pass
	Fail
)

func (o Outcome) String() string { return [...]string{"skip", "pass", "fail"}[o] }

// Case is one test case of a report: a test method, or one invocation of it.
type Case struct {
	Class   string
	Name    string // as in the report, perhaps with parameters and the number of the invocation
	Outcome Outcome
	Time    time.Duration
}

// Key names the method of a case, as class#method; what a class's fixture did is
// class#(class).
func (c Case) Key() string { return c.Class + "#" + Method(c.Name, c.Class) }

// suite is what matters of a report's testsuite element.
type suite struct {
	Cases []struct {
		Name    string    `xml:"name,attr"`
		Class   string    `xml:"classname,attr"`
		Time    string    `xml:"time,attr"`
		Failure *struct{} `xml:"failure"`
		Error   *struct{} `xml:"error"`
		Skipped *struct{} `xml:"skipped"`
	} `xml:"testcase"`
}

// Read returns the cases of all reports in a folder, in the order of the files' names.
// It fails if there are none, or if one cannot be read.
func Read(folder string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "TEST-*.xml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no reports in %s", folder)
	}
	var all []Case
	for _, f := range files {
		cases, err := readFile(f)
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	return all, nil
}

func readFile(file string) ([]Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s suite
	if err := xml.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []Case
	for _, c := range s.Cases {
		o := Pass
		switch {
		case c.Failure != nil || c.Error != nil:
			o = Fail
		case c.Skipped != nil:
			o = Skip
		}
		// Large times are written with separators between thousands.
		took, _ := time.ParseDuration(strings.ReplaceAll(c.Time, ",", "") + "s")
		all = append(all, Case{Class: c.Class, Name: c.Name, Outcome: o, Time: took})
	}
	return all, nil
}

// Method takes the method's name from a test case's, which may go on with
// parameter types and the number of the invocation. Some versions write the class before
// it.
func Method(name, class string) string {
	if name == "" || name == class {
		return "(class)"
	}
	name = strings.TrimPrefix(name, class+".")
	if i := strings.IndexAny(name, "({["); i > 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}
