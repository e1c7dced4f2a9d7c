package main

import "testing"

// Rules of SARIF link to an address or to nothing: those who read it refuse all of it else.
func TestDocsURL(t *testing.T) {
	for docs, ok := range map[string]bool{"": true, "https://docs.invalid": true, "https://docs.invalid/at/": true,
		"docs": false, "/docs": false, "docs.invalid/at": false, "https://docs.invalid/a b": false, "https:": false,
		"https://docs.invalid/%": false, "//docs.invalid": false} {
		if err := (reported{DocsURL: docs}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", docs, err)
		}
	}
}
