package coverage_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/coverage"
)

// sonarAttributes are those that SonarQube's schema of generic coverage has, by element; true:
// it is required.
var sonarAttributes = map[string]map[string]bool{
	"coverage": {"version": true}, "file": {"path": true},
	"lineToCover": {"lineNumber": true, "covered": true, "branchesToCover": false, "coveredBranches": false},
}

// sonarIn is where each element stands.
var sonarIn = map[string]string{"coverage": "", "file": "coverage", "lineToCover": "file"}

// readSonar reads a report as strictly as the schema says: lines, by file and number.
func readSonar(text []byte) (map[string]string, error) {
	lines, stack, file := map[string]string{}, []string{""}, ""
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		switch x := token.(type) {
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.StartElement:
			name := x.Name.Local
			have := map[string]string{}
			for _, a := range x.Attr {
				if _, known := sonarAttributes[name][a.Name.Local]; !known {
					return nil, fmt.Errorf("%s has no attribute %s", name, a.Name.Local)
				}
				have[a.Name.Local] = a.Value
			}
			for a, required := range sonarAttributes[name] {
				if _, is := have[a]; required && !is {
					return nil, fmt.Errorf("%s lacks %s", name, a)
				}
			}
			if in, known := sonarIn[name]; !known || in != stack[len(stack)-1] {
				return nil, fmt.Errorf("%s in %s", name, stack[len(stack)-1])
			}
			stack = append(stack, name)
			switch name {
			case "coverage":
				if have["version"] != "1" {
					return nil, errors.New("version " + have["version"])
				}
			case "file":
				file = have["path"]
			case "lineToCover":
				at, line, err := sonarLine(have)
				if err != nil {
					return nil, err
				}
				lines[file+":"+at] = line
			}
		}
	}
}

// sonarLine reads the attributes of a line.
func sonarLine(have map[string]string) (at, line string, err error) {
	number, err := strconv.Atoi(have["lineNumber"])
	if err != nil || number < 1 {
		return "", "", errors.New("lineNumber " + have["lineNumber"])
	}
	if have["covered"] != "true" && have["covered"] != "false" {
		return "", "", errors.New("covered " + have["covered"])
	}
	ways, taken := 0, 0
	if have["branchesToCover"] != "" {
		var err2 error
		ways, err = strconv.Atoi(have["branchesToCover"])
		taken, err2 = strconv.Atoi(have["coveredBranches"])
		if err = errors.Join(err, err2); err != nil || taken < 0 || taken > ways {
			return "", "", fmt.Errorf("branches %q: %w", have, err)
		}
	}
	return have["lineNumber"], lineText(have["covered"] == "true", taken, ways), nil
}

// A reader that holds a report to SonarQube's schema reads every line and way of a suite from it.
func TestSonar(t *testing.T) {
	s := suite()
	var b bytes.Buffer
	if err := coverage.WriteSonar(&b, s); err != nil {
		t.Fatal(err)
	}
	got, err := readSonar(b.Bytes())
	if err != nil {
		t.Fatalf("%v:\n%s", err, b.Bytes())
	}
	if diff := cmp.Diff(linesOf(s), got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"lineToCover lineNumber", "covered", "file path", "coverage version"} {
		if _, err := readSonar([]byte(strings.Replace(b.String(), wrong+"=", wrong+"s=", 1))); err == nil {
			t.Errorf("a report without %s is read", wrong)
		}
	}
}
