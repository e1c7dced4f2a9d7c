package maven

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// Conditions of profiles hold where Maven 3.9.9 says so (mvn help:effective-pom), also in forms
// that are odd.
func TestConditionsHold(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	property := func(name, value string) string {
		return "<property><name>" + name + "</name>" + value + "</property>"
	}
	built, library := builtProject{dir, "pom"}, builtProject{packaging: "jar"}
	for _, c := range []struct {
		of        builtProject
		condition string
		want      bool
	}{
		{built, property("!gone", ""), true},
		{built, property("!there", ""), false},
		{built, property("!gone", "<value>true</value>"), false}, // the value is asked for
		{built, property("!there", "<value>yes</value>"), true},
		{built, property("gone", "<value>!x</value>"), true},
		{built, property("packaging", "<value>pom</value>"), true},
		{built, property("packaging", "<value>jar</value>"), false},
		{built, property("!packaging", ""), false},
		{built, "<jdk>17</jdk>", true},
		{built, "<jdk>!1.8</jdk>", true},
		{built, "<jdk>[11,)</jdk>", true},
		{built, "<jdk>(,11],[17,18)</jdk>", false}, // only the first interval counts
		{built, "<jdk>17</jdk>" + property("gone", ""), false},
		{built, "<file><exists>conf</exists></file>", true},
		{built, "<file><exists>${basedir}/conf</exists></file>", true},
		{built, "<file><missing>conf</missing></file>", false},
		{built, "<file><exists>conf</exists><missing>conf</missing></file>", true},
		{library, "<file><missing>conf</missing></file>", false},
		{library, "<file><missing>${project.basedir}/conf</missing></file>", false},
		{library, "<file><missing>" + filepath.Join(dir, "gone") + "</missing></file>", true},
	} {
		node, err := xmltree.Parse([]byte("<activation>" + c.condition + "</activation>"))
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(&workspace.Reading{Options: workspace.Options{}.WithDefaults()}, dir)
		r.jdk, r.userProps = "17.0.15", map[string]string{"there": "yes"}
		if got := r.conditionsHold(c.of, node); got != c.want {
			t.Errorf("%s of %q: %t", c.condition, c.of.packaging, got)
		}
	}
}
