package verdicts

import (
	_ "embed"
	"fmt"
	"path"

	"github.com/pelletier/go-toml/v2"
)

//go:embed projects.toml
var tableText []byte

// project is a row of projects.toml.
type project struct {
	Name       string   `toml:"name"`
	Repository string   `toml:"repository"`
	Commit     string   `toml:"commit"`
	Arguments  []string `toml:"arguments"` // of Maven, beside those of every build
	Modules    []string `toml:"modules"`   // whose tests are compared; none: all
	Uses       string   `toml:"uses"`      // test frameworks and what kind of program it is
	// Excluded are tests that are left out of the comparison of outcomes, with the
	// reason; verdicts may still rest on them.
	Excluded []exclusion `toml:"excluded"`
}

// exclusion names tests by a pattern of their class#method, in which * stands for what
// has no slash.
type exclusion struct {
	Tests  string `toml:"tests"`
	Reason string `toml:"reason"`
}

// readTable reads projects.toml. It fails where a row lacks what an audit needs to be
// repeated: a name, a repository, a whole commit, reasons of exclusions.
func readTable() ([]project, error) {
	var t struct {
		Projects []project `toml:"project"`
	}
	if err := toml.Unmarshal(tableText, &t); err != nil {
		return nil, fmt.Errorf("projects.toml: %w", err)
	}
	for _, p := range t.Projects {
		if p.Name == "" || p.Repository == "" || len(p.Commit) != 40 {
			return nil, fmt.Errorf("projects.toml: %q lacks a name, repository or commit", p.Name)
		}
		for _, x := range p.Excluded {
			if _, err := path.Match(x.Tests, ""); err != nil || x.Reason == "" {
				return nil, fmt.Errorf("projects.toml: %s: exclusion %q has a bad pattern or no reason", p.Name,
					x.Tests)
			}
		}
	}
	return t.Projects, nil
}
