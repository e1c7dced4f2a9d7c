package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/catchlens/catchlens/internal/golden"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// model is the command line.
func model(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := kong.New(&cli{}, kong.Name("catchlens"))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

// flagRow is a row of a table of flags.
func flagRow(f *kong.Flag) string {
	name := "--" + f.Name
	if f.Short != 0 {
		name = fmt.Sprintf("-%c, %s", f.Short, name)
	}
	if !f.IsBool() {
		name += " " + f.FormatPlaceHolder()
	}
	text := f.Help
	if f.HasDefault && f.Default != "" && f.Default != "." && f.Default != "0" && !strings.Contains(text, "default") {
		text += fmt.Sprintf(" Without it: `%s`.", f.Default)
	}
	return fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(text, "|", `\|`))
}

// flagsPage is docs/reference/flags.md.
func flagsPage(app *kong.Application) string {
	var b strings.Builder
	b.WriteString("# Flags of the command line\n\n" +
		"This page is made from the program (`make update`). What the commands are for: [commands](commands.md).\n")
	used := map[string][]string{} // row of a flag -> commands
	for _, c := range app.Children {
		for _, f := range c.Flags {
			if !f.Hidden {
				used[flagRow(f)] = append(used[flagRow(f)], c.Name)
			}
		}
	}
	const several = 3 // commands that have a flag for it to be told once
	var shared []string
	table := func(rows []string) {
		if len(rows) > 0 {
			b.WriteString("\n| flag | |\n|---|---|\n" + strings.Join(rows, ""))
		}
	}
	for _, c := range app.Children {
		if c.Hidden {
			continue
		}
		fmt.Fprintf(&b, "\n## `%s`\n\n%s\n", c.Summary(), c.Help)
		var args, rows []string
		for _, p := range c.Positional {
			args = append(args, fmt.Sprintf("| `%s` | %s |\n", p.Summary(), p.Help))
		}
		for _, f := range c.Flags {
			switch row := flagRow(f); {
			case f.Hidden:
			case len(used[row]) < several:
				rows = append(rows, row)
			case !slices.Contains(shared, row):
				shared = append(shared, row)
			}
		}
		table(append(args, rows...))
	}
	b.WriteString("\n## Flags of several commands\n\n| flag | | commands |\n|---|---|---|\n")
	for _, row := range shared {
		b.WriteString(strings.TrimSuffix(row, "\n") + " " + strings.Join(used[row], ", ") + " |\n")
	}
	b.WriteString("\n## Flags for those who work on catchlens\n\n" +
		"Every command has them; `--help` does not list them.\n")
	var rows []string
	for _, f := range app.Flags {
		if f.Hidden {
			rows = append(rows, flagRow(f))
		}
	}
	table(rows)
	return b.String()
}

// The page of flags is the program's.
func TestGoldenFlags(t *testing.T) {
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(root, "docs", "reference", "flags.md"), []byte(flagsPage(model(t))))
}

var (
	commandRow = regexp.MustCompile("(?m)^\\| `catchlens ([a-z]+)")
	flagInText = regexp.MustCompile("`(?:catchlens [a-z ]*)?(--[a-z][a-z-]*)")
	flagElse   = regexp.MustCompile(`^--(name|help)$`) // any name, and what kong adds
)

// The page of commands has a row for each command that help lists and for no other, and no page
// names a flag that is none.
func TestCommandsPage(t *testing.T) {
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	app := model(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "reference", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{"version": true} // says what --help says
	for _, m := range commandRow.FindAllSubmatch(page, -1) {
		rows[string(m[1])] = true
	}
	flags := map[string]bool{}
	for _, f := range app.Flags {
		flags["--"+f.Name] = true
	}
	for _, c := range app.Children {
		if !c.Hidden && !rows[c.Name] {
			t.Errorf("docs/reference/commands.md has no row for %s", c.Name)
		}
		delete(rows, c.Name)
		for _, f := range c.Flags {
			flags["--"+f.Name] = true
			for _, alias := range f.Aliases {
				flags["--"+alias] = true
			}
		}
	}
	for name := range rows {
		t.Errorf("docs/reference/commands.md has a row for %s, which is no command", name)
	}
	named := 0
	for _, pattern := range []string{"README.md", "docs/guide/*.md", "docs/reference/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range flagInText.FindAllSubmatch(text, -1) {
				if named++; !flags[string(m[1])] && !flagElse.Match(m[1]) {
					t.Errorf("%s names %s, which no command has", file, m[1])
				}
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d flags are named", named)
	}
}
