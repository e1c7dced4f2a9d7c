package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/golden"
)

// manifest is what vscode-extension/package.json says to VS Code.
type manifest struct {
	Contributes struct {
		Commands      []struct{ Command, Title string }
		Keybindings   []struct{ Command, Key string }
		Configuration []struct{ Properties map[string]property } // groups
	}
}

type property struct {
	Enum             []string
	EnumDescriptions []string
	Default          any
	Items            struct{ Enum []string }
}

// properties are the settings of all groups.
func (m manifest) properties() map[string]property {
	all := map[string]property{}
	for _, c := range m.Contributes.Configuration {
		maps.Copy(all, c.Properties)
	}
	return all
}

func readManifest(t *testing.T) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "vscode-extension", "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// page is a page of docs/reference.
func page(t *testing.T, name string) string {
	t.Helper()
	return textOf(t, "docs/reference/"+name)
}

// settingWords are the words that settings may have, default first: the code's.
func settingWords() map[string][]string {
	sets := make([]string, 0, len(exceptionSets))
	for _, s := range exceptionSets {
		sets = append(sets, s.(string))
	}
	return map[string][]string{
		"callGraph":   append([]string{snapshot.Auto}, snapshot.CallGraphs...),
		"exceptions":  sets,
		"sites":       siteKinds,
		"entryPoints": snapshot.EntryPoints,
		"isolation":   workspace.Isolations,
		"reading":     workspace.Readings,
		"moreHints":   workspace.MoreHints,
		"words":       codelens.Words,
	}
}

var settingRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*?) \\|")

// settingSection is the head of a section of one setting, with the list of what its values mean.
var settingSection = regexp.MustCompile("(?m)^## (\\w+)\n+(?:(?:\\* `|  ).*\n)*\n?")

// The values on the page of settings are those of the manifest, the default first; the server's own
// settings, which VS Code has not, keep what stands there. A setting whose values the manifest
// explains has a section, which begins with that.
func TestGoldenSettings(t *testing.T) {
	properties := readManifest(t).properties()
	made := settingRow.ReplaceAllStringFunc(page(t, "settings.md"), func(row string) string {
		m := settingRow.FindStringSubmatch(row)
		p, ok := properties["catchlens."+m[1]]
		if !ok {
			return row
		}
		return "| `" + m[1] + "` | " + settingValues(p.Default, append(p.Enum, p.Items.Enum...)) + " |"
	})
	explained := map[string]int{}
	made = settingSection.ReplaceAllStringFunc(made, func(head string) string {
		name := settingSection.FindStringSubmatch(head)[1]
		p, ok := properties["catchlens."+name]
		if !ok || p.EnumDescriptions == nil {
			t.Errorf("settings.md has a section %s, and package.json explains no values of it", name)
			return head
		}
		explained[name]++
		return "## " + name + "\n\n" + explainedValues(p) + "\n"
	})
	made = strings.TrimRight(made, "\n") + "\n"
	for name, p := range properties {
		name = strings.TrimPrefix(name, "catchlens.")
		if p.EnumDescriptions != nil && explained[name] != 1 {
			t.Errorf("settings.md has %d sections %s, want 1: package.json explains its values", explained[name], name)
		}
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "reference", "settings.md"), []byte(made))
}

// explainedValues writes a list of the values of a setting, each with what it means, in lines of at
// most 100 columns.
func explainedValues(p property) string {
	var b strings.Builder
	for i, value := range p.Enum {
		line := "* `" + value + "`:"
		if value == p.Default {
			line = "* `" + value + "` (the default):"
		}
		for word := range strings.FieldsSeq(p.EnumDescriptions[i]) {
			if len(line)+1+len(word) > 100 {
				b.WriteString(line + "\n")
				line = " "
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// settingValues writes the default of a setting, and behind it what else it may be: behind a
// semicolon what may be chosen in addition.
func settingValues(value any, words []string) string {
	quote := func(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }
	chosen := []string{fmt.Sprint(value)}
	between := ", "
	if list, ok := value.([]any); ok {
		between = "; "
		chosen = nil
		for _, v := range list {
			chosen = append(chosen, fmt.Sprint(v))
		}
	}
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(chosen, w) })
	text := "empty"
	if len(chosen) > 0 && chosen[0] != "" {
		text = quote(chosen)
	}
	if len(others) > 0 {
		text += between + quote(others)
	}
	return text
}

// The words that a setting may have are the same in the code, for VS Code and on the page of
// settings, which begins with the default.
func TestSettingWords(t *testing.T) {
	properties := readManifest(t).properties()
	rows := map[string]string{}
	for _, m := range settingRow.FindAllStringSubmatch(page(t, "settings.md"), -1) {
		rows[m[1]] = m[2]
	}
	for name, want := range settingWords() {
		p := properties["catchlens."+name]
		words := p.Enum
		if words == nil {
			words = p.Items.Enum
		}
		if !slices.Equal(slices.Sorted(slices.Values(words)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s is one of %q in package.json, of %q in the code", name, words, want)
		}
		var told []string
		for _, m := range span.FindAllStringSubmatch(rows[name], -1) {
			told = append(told, m[1])
		}
		if !slices.Equal(slices.Sorted(slices.Values(told)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s is one of %q on the page, of %q in the code", name, told, want)
		}
		if p.Enum != nil && (p.Default != want[0] || told[0] != want[0]) {
			t.Errorf("the default of %s is %v in package.json, %s on the page, %s in the code",
				name, p.Default, told[0], want[0])
		}
	}
}

var (
	editorRow  = regexp.MustCompile(`(?m)^\| (.+?) \| (.+?) \| .+ \|$`)
	title      = regexp.MustCompile(`\*([A-Z][^*]+)\*`)
	subcommand = regexp.MustCompile(`(?m)^  (?:\['([a-z-]+)'\]|([a-z]+)) = (?:function\(\)|[a-z]+,$)`)
	// firstLetter is that of each key of a combination, as in alt+j r
	firstLetter = regexp.MustCompile(`\b[a-z]`)
	// titleAndKeys is the title of a command of VS Code, with what stands of its keys
	titleAndKeys = regexp.MustCompile("\\*([A-Z][^*]+)\\*(?: \\(`[^`]+`\\))?")
)

// titles are the commands of VS Code as the page names them: without what stands in parentheses.
func (m manifest) titles() (titles []string, keys map[string]string) {
	keys = map[string]string{}
	for _, c := range m.Contributes.Commands {
		short, _, _ := strings.Cut(c.Title, " (")
		titles = append(titles, short)
		for _, k := range m.Contributes.Keybindings {
			if k.Command == c.Command {
				keys[short] = firstLetter.ReplaceAllStringFunc(k.Key, strings.ToUpper)
			}
		}
	}
	return titles, keys
}

// On the page of commands the keys of each are those of VS Code's manifest, and what the manifest
// has and no row names gets a row, of which the words are to be written.
func TestGoldenEditorCommands(t *testing.T) {
	text := page(t, "commands.md")
	start, end := strings.Index(text, "\n|---|---|---|\n"), strings.Index(text, "\n\nThe server's own commands")
	if start < 0 || end < start {
		t.Fatal("commands.md has no table of commands of editors before those of the server")
	}
	titles, keys := readManifest(t).titles()
	named := map[string]bool{}
	rows := titleAndKeys.ReplaceAllStringFunc(text[start:end], func(s string) string {
		name := titleAndKeys.FindStringSubmatch(s)[1]
		if !slices.Contains(titles, name) {
			return s
		}
		named[name] = true
		if keys[name] == "" {
			return "*" + name + "*"
		}
		return "*" + name + "* (`" + keys[name] + "`)"
	})
	for _, name := range titles {
		if !named[name] {
			rows += "\n| *" + name + "* | – | What it does. |"
		}
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "reference", "commands.md"), []byte(text[:start]+rows+text[end:]))
}

// The page of commands has the commands of VS Code and Neovim, and no others.
func TestEditorCommands(t *testing.T) {
	text := page(t, "commands.md")
	start, end := strings.Index(text, "## In an editor"), strings.Index(text, "## In a terminal")
	var code, nvim []string
	for _, m := range editorRow.FindAllStringSubmatch(text[start:end], -1) {
		for _, x := range title.FindAllStringSubmatch(m[1], -1) {
			if !strings.Contains(m[1], "code action "+x[0]) {
				code = append(code, x[1])
			}
		}
		for _, x := range span.FindAllStringSubmatch(m[2], -1) {
			if !strings.Contains(x[1], "(") {
				nvim = append(nvim, strings.TrimPrefix(x[1], ":Catchlens "))
			}
		}
	}
	titles, _ := readManifest(t).titles()
	slices.Sort(code)
	slices.Sort(titles)
	if !slices.Equal(code, titles) {
		t.Errorf("the page names %q of VS Code, package.json has %q", code, titles)
	}
	lua, err := os.ReadFile(filepath.Join(root(t), "editors", "nvim", "lua", "catchlens", "init.lua"))
	if err != nil {
		t.Fatal(err)
	}
	list := string(lua[strings.Index(string(lua), "local subcommands = {"):])
	list = list[:strings.Index(list, "\n}")]
	var own []string
	for _, m := range subcommand.FindAllStringSubmatch(list, -1) {
		own = append(own, m[1]+m[2])
	}
	slices.Sort(nvim)
	slices.Sort(own)
	if !slices.Equal(nvim, own) {
		t.Errorf("the page names %q of Neovim, the plug-in has %q", nvim, own)
	}
}

var (
	sentSettings = regexp.MustCompile(`serverSettings = \[([^\]]*)\]`)
	sentName     = regexp.MustCompile(`'(\w+)'`)
	helpName     = regexp.MustCompile(`(?m)^  (\w+) {2,}\S`)
)

// textOf is the text of a file of the repository.
func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ofExtension are settings that the extension reads and does not send.
var ofExtension = []string{"gutter"}

// A setting that is on the page of settings, which names what the server reads (package lsp holds
// it to that), is what the manifest of VS Code and the help of Neovim have, and what the extension
// sends.
func TestSettingNames(t *testing.T) {
	names := func(m [][]string) (list []string) {
		for _, x := range m {
			list = append(list, x[1])
		}
		return list
	}
	var manifest []string
	for name := range readManifest(t).properties() {
		name = strings.TrimPrefix(name, "catchlens.")
		switch {
		case slices.Contains(ofExtension, name):
			if !strings.Contains(page(t, "settings.md"), "`catchlens."+name+"`") {
				t.Errorf("docs/reference/settings.md does not name catchlens.%s", name)
			}
		case !strings.Contains(name, "."): // which are the extension's, too
			manifest = append(manifest, name)
		}
	}
	sent := sentSettings.FindStringSubmatch(textOf(t, "vscode-extension/src/settings.ts"))
	if sent == nil {
		t.Fatal("settings.ts has no serverSettings")
	}
	help := textOf(t, "editors/nvim/doc/catchlens.txt")
	help = help[strings.Index(help, "*catchlens-settings*"):]
	help = help[:strings.Index(help, "====")]
	own := map[string]bool{"trusted": true} // VS Code has Workspace Trust
	want := names(settingRow.FindAllStringSubmatch(page(t, "settings.md"), -1))
	for _, x := range []struct {
		where string
		names []string
		not   map[string]bool
	}{
		{"vscode-extension/package.json", manifest, own},
		{"vscode-extension/src/settings.ts, serverSettings,", names(sentName.FindAllStringSubmatch(sent[1], -1)), own},
		{"editors/nvim/doc/catchlens.txt", names(helpName.FindAllStringSubmatch(help, -1)), nil},
	} {
		for _, name := range want {
			if !x.not[name] && !slices.Contains(x.names, name) {
				t.Errorf("%s does not have the setting %s, which docs/reference/settings.md has: name it there, too",
					x.where, name)
			}
		}
		for _, name := range x.names {
			if !slices.Contains(want, name) || x.not[name] {
				t.Errorf("%s has the setting %s, which docs/reference/settings.md does not have", x.where, name)
			}
		}
	}
}
