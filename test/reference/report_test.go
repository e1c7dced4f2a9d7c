package reference

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
)

// schemaWords are the keys that a schema has anywhere, and the words that its values may be.
func schemaWords(schema any, keys, values map[string]bool) {
	switch s := schema.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for key := range properties {
			keys[key] = true
		}
		words, _ := s["enum"].([]any)
		for _, w := range words {
			if w, ok := w.(string); ok {
				values[w] = true
			}
		}
		for _, inner := range s {
			schemaWords(inner, keys, values)
		}
	case []any:
		for _, inner := range s {
			schemaWords(inner, keys, values)
		}
	}
}

var (
	reportWord = regexp.MustCompile(`^[a-z][A-Za-z]*$`)
	// otherWords are on the page of the report and are no fields of it: commands, an outcome of
	// tests, and fields of SARIF.
	otherWords = []string{"run", "report", "analyze", "skipped", "codeFlows", "executionSuccessful"}
)

// The page of the report names every field that the report has, and no other.
func TestReportPage(t *testing.T) {
	var schema any
	if err := json.Unmarshal(reportSchema(t), &schema); err != nil {
		t.Fatal(err)
	}
	keys, values := map[string]bool{}, map[string]bool{}
	schemaWords(schema, keys, values)
	if len(keys) < 100 {
		t.Errorf("only %d fields", len(keys))
	}
	named := map[string]bool{}
	for _, m := range span.FindAllStringSubmatch(page(t, "report.md"), -1) {
		named[m[1]] = true
	}
	for key := range keys {
		if !named[key] {
			t.Errorf("docs/reference/report.md does not name %s", key)
		}
	}
	for word := range named {
		if reportWord.MatchString(word) && !keys[word] && !values[word] && !slices.Contains(otherWords, word) {
			t.Errorf("docs/reference/report.md names %s, which is no field", word)
		}
	}
	for _, word := range otherWords {
		if !named[word] {
			t.Errorf("docs/reference/report.md does not have %s any more", word)
		}
	}
}
