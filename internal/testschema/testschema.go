// Package testschema validates documents against JSON schemas of the repository. Only tests import
// it: the library behind it is no part of the program.
package testschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// The schemas, by their paths in the repository.
const (
	Config = "docs/reference/schemas/catchlens.toml.schema.json"
	Report = "docs/reference/schemas/report.schema.json"
	Chains = "docs/reference/schemas/chains.schema.json"
	// TestedChains are call chains with the tests that took them.
	TestedChains = "docs/reference/schemas/tested-chains.schema.json"
	SARIF        = "internal/testschema/testdata/sarif-2.1.0.json"
)

// Schema is a compiled schema.
type Schema struct{ compiled *jsonschema.Schema }

// Load compiles a schema of the repository; the test fails where that cannot be done.
func Load(t testing.TB, path string) *Schema {
	t.Helper()
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := jsonschema.NewCompiler().Compile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return &Schema{compiled}
}

// LoadStrict is Load with no other keys in objects than those that the schema lists.
func LoadStrict(t testing.TB, path string) *Schema {
	t.Helper()
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	seal(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return &Schema{compiled}
}

// seal forbids keys of objects that a schema does not list, in the schema and what is inside it.
func seal(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		for _, inner := range s {
			seal(inner)
		}
		if _, ok := s["properties"].(map[string]any); ok && s["type"] == "object" {
			s["additionalProperties"] = false
		}
	case []any:
		for _, inner := range s {
			seal(inner)
		}
	}
}

// Problems lists what is wrong with a value, as package json or a TOML library decodes it: the
// places of a document and what is said of each.
func (s *Schema) Problems(value any) []string {
	text, err := json.Marshal(value)
	if err != nil {
		return []string{err.Error()}
	}
	return s.ProblemsOf(text)
}

// ProblemsOf lists what is wrong with a JSON text.
func (s *Schema) ProblemsOf(text []byte) []string {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []string{err.Error()}
	}
	err = s.compiled.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var lines []string
	for _, line := range strings.Split(invalid.Error(), "\n")[1:] {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// Check fails the test where a JSON text does not validate.
func (s *Schema) Check(t testing.TB, what string, text []byte) {
	t.Helper()
	if problems := s.ProblemsOf(text); len(problems) > 0 {
		const most = 10
		t.Errorf("%s does not validate:\n%s\nwhere the code has changed on purpose, `make update` writes the schemas "+
			"anew", what, strings.Join(problems[:min(len(problems), most)], "\n"))
	}
}
