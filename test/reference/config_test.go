package reference

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
)

// configKey is a key of catchlens.toml: the Go type of its table, and its name.
type configKey struct{ typ, name string }

// configTables are the headings of docs/reference/catchlens-toml.md below which the keys of a table
// are listed.
var configTables = map[string]reflect.Type{
	"At the top, or of one module": reflect.TypeFor[workspace.ModuleConfig](),
	"At the top only":              reflect.TypeFor[workspace.Config](),
	"`[test]`":                     reflect.TypeFor[workspace.TestConfig](),
	"`[studied]`":                  reflect.TypeFor[workspace.StudiedConfig](),
	"`[campaign]`":                 reflect.TypeFor[workspace.CampaignConfig](),
	"`[[excludeTests]]`":           reflect.TypeFor[workspace.ExcludeConfig](),
	"`[[fault]]`":                  reflect.TypeFor[workspace.FaultConfig](),
	"`[[infeasible]]`":             reflect.TypeFor[workspace.Infeasible](),
	"`[[accept]]`":                 reflect.TypeFor[workspace.Accept](),
}

var (
	row        = regexp.MustCompile(`^\| (.+?) \| (.+) \|$`)
	span       = regexp.MustCompile("`([^`]+)`")
	sentence   = regexp.MustCompile(`\.\)?$`)
	linkedText = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
)

// configTexts is what docs/reference/catchlens-toml.md says of each key, and of tables below no
// type, as plain text.
func configTexts(t *testing.T) map[configKey]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "reference", "catchlens-toml.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[configKey]string{}
	table := ""
	for _, part := range strings.Split(string(page), "\n\n") {
		if heading, ok := strings.CutPrefix(part, "## "); ok {
			table = heading
		} else if k := (configKey{"", strings.Trim(table, "`[]")}); strings.HasPrefix(table, "`[") && texts[k] == "" &&
			!strings.HasPrefix(part, "|") {
			texts[k] = linkedText.ReplaceAllString(strings.ReplaceAll(part, "\n", " "), "$1")
		}
	}
	for _, line := range strings.Split(string(page), "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			table = heading
		}
		m, typ := row.FindStringSubmatch(line), configTables[table]
		if m == nil || typ == nil || strings.HasPrefix(m[1], "key") {
			continue
		}
		for _, key := range span.FindAllStringSubmatch(m[1], -1) {
			k := configKey{typ.Name(), key[1]}
			if texts[k] != "" {
				t.Errorf("%s is described twice below %s", key[1], table)
			}
			texts[k] = linkedText.ReplaceAllString(m[2], "$1")
		}
	}
	return texts
}

// Every key that the program reads is described in docs/reference/catchlens-toml.md, below the
// heading of its table, and no other.
func TestConfigPage(t *testing.T) {
	texts := configTexts(t)
	for heading, typ := range configTables {
		keys := map[string]bool{}
		for i := range typ.NumField() {
			f := typ.Field(i)
			key := f.Tag.Get("toml")
			if key == "" || key == "-" {
				continue
			}
			isTable := configTables["`["+key+"]`"] != nil || configTables["`[["+key+"]]`"] != nil || key == "module"
			if !isTable || typ == reflect.TypeFor[workspace.ExcludeConfig]() {
				keys[key] = true
			}
		}
		for key := range keys {
			if text := texts[configKey{typ.Name(), key}]; !sentence.MatchString(text) {
				t.Errorf("below %s, %s is described as %q", heading, key, text)
			}
		}
		for k := range texts {
			if k.typ == typ.Name() && !keys[k.name] {
				t.Errorf("below %s there is %s, which the program does not read", heading, k.name)
			}
		}
	}
}
