package javasource

// This file compares the parser with javac's.

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// javacPositions runs javac's parser over files and returns, by file, what it
// sees, sorted.
func javacPositions(t testing.TB, home string, files []string) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	testjdk.Javac(t, home, 0, nil, dir, filepath.Join("testdata", "oracle", "Positions.java"))
	cmd := exec.Command(testjdk.Tool(home, "java"), "-cp", dir, "Positions")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	all := make(map[string][]string)
	file := ""
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "file "); ok {
			file = name
			all[file] = []string{}
			continue
		}
		all[file] = append(all[file], lines.Text())
	}
	for _, list := range all {
		sort.Strings(list)
	}
	return all
}

// ownPositions writes a parsed file as the Java program does.
func ownPositions(src []byte, f *File) []string {
	units := unitOffsets(src)
	at := func(offset int) int { return units[offset] }
	span := func(s Span) string {
		if s.IsZero() {
			return "-1 -1"
		}
		return fmt.Sprintf("%d %d", at(s.Start), at(s.End))
	}
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, t := range f.Tries {
		add("try %s %s %d %d %s", span(t.Span), span(t.Body), t.ResourceCount, len(t.Catches), span(t.Finally))
	}
	for _, c := range f.Catches {
		add("catch %d %s %s %s %s", at(c.Keyword.Start), span(c.Body), strings.Join(c.Types, "|"), c.Param,
			ownerOf(f, c.Member, c.Keyword.Start))
	}
	for _, t := range f.Throws {
		add("throw %s", span(t.Span))
	}
	for _, t := range f.Types {
		if kind, ok := oracleKinds[t.Kind]; ok {
			add("class %d %s %s", at(t.Span.End), t.Name, kind)
		}
		for _, m := range t.Members {
			for _, l := range m.Lambdas {
				add("lambda %d %s %d", at(l.Span.Start), span(l.Body), l.Params)
			}
			if m.Kind == Method || m.Kind == Constructor || m.Kind == CompactConstructor {
				types := strings.NewReplacer(" ", "", "...", "[]").Replace(strings.Join(m.ParamTypes, ";"))
				add("method %d %s (%s)", at(m.Span.End), ownerOf(f, m, m.Span.Start), types)
			}
		}
	}
	for _, c := range f.Calls {
		switch {
		case c.TypeName == "":
			name := c.Name
			if name == InitName {
				name = string(src[c.NameSpan.Start:c.NameSpan.End])
			}
			add("call %d %s %d", at(c.NameSpan.End), name, c.Args)
		default:
			anonymous := false
			for _, t := range f.Types {
				anonymous = anonymous || t.Kind == Anonymous && t.NameSpan == c.NameSpan
			}
			add("new %d %d %v", at(c.NameSpan.Start), c.Args, anonymous)
		}
	}
	sort.Strings(list)
	return list
}

var oracleKinds = map[TypeKind]string{Class: "CLASS", Interface: "INTERFACE", Enum: "ENUM", Record: "RECORD",
	Annotation: "ANNOTATION_TYPE"}

// ownerOf names the member as the Java program's owner() does.
func ownerOf(f *File, m *Member, offset int) string {
	name := m.Type.Name
	if m.Type.Kind == EnumConstant {
		name = ""
	}
	switch m.Kind {
	case Method, Constructor, CompactConstructor:
		return fmt.Sprintf("%s.%s/%d", name, m.Name, len(m.ParamTypes))
	}
	return name + ".init"
}

// unitOffsets maps byte offsets to UTF-16 offsets.
func unitOffsets(src []byte) []int {
	units := make([]int, len(src)+1)
	n := 0
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		for k := 0; k < size; k++ {
			units[i+k] = n
		}
		i += size
		n++
		if r >= 0x10000 {
			n++
		}
	}
	units[len(src)] = n
	return units
}

// compareWithJavac reports every difference between the parsers.
func compareWithJavac(t *testing.T, home string, files []string) (compared int) {
	t.Helper()
	for file, want := range javacPositions(t, home, files) {
		src := readFile(t, file)
		f := ParseCalls(src)
		if f.Broken {
			t.Errorf("%s: broken", file)
		}
		for _, x := range f.Types {
			if x.Kind == Implicit { // javac names it after the file
				x.Name = strings.TrimSuffix(filepath.Base(file), ".java")
			}
		}
		for i := range want {
			for _, word := range []string{".field", ".static", ".block"} {
				if s, ok := strings.CutSuffix(want[i], word); ok && strings.HasPrefix(s, "catch ") {
					want[i] = s + ".init"
				}
			}
		}
		got := ownPositions(src, f)
		compared += len(got)
		missing, extra := difference(want, got)
		for i, s := range missing {
			if i < 5 {
				t.Errorf("%s: javac sees %s", file, s)
			}
		}
		for i, s := range extra {
			if i < 5 {
				t.Errorf("%s: javac does not see %s", file, s)
			}
		}
	}
	return compared
}

// difference returns what only one of two sorted lists has.
func difference(a, b []string) (onlyA, onlyB []string) {
	count := make(map[string]int)
	for _, s := range b {
		count[s]++
	}
	for _, s := range a {
		if count[s] > 0 {
			count[s]--
		} else {
			onlyA = append(onlyA, s)
		}
	}
	for _, s := range b {
		if count[s] > 0 {
			count[s]--
			onlyB = append(onlyB, s)
		}
	}
	return onlyA, onlyB
}

func TestJavacAgrees(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/match/*.java", "testdata/parse/*.java", "testdata/oracle/*.java"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			abs, err := filepath.Abs(f)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, abs)
		}
	}
	if n := compareWithJavac(t, testjdk.JDK(t, 25), files); n < 500 {
		t.Errorf("only %d positions compared", n)
	}
}
