package maven

import (
	"testing"

	"github.com/catchlens/catchlens/internal/xmltree"
)

func mustParse(t *testing.T, text string) *xmltree.Node {
	t.Helper()
	n, err := xmltree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What a pom says for people is inherited by Maven's rules.
func TestInheritInformation(t *testing.T) {
	parent := parseInformation(mustParse(t, `<project><artifactId>top</artifactId><name>Top</name>
<description>about</description><url>https://e.org/top/</url>
<organization><name>They</name><url>https://they.org</url></organization>
<scm child.scm.url.inherit.append.path="false"><url>https://scm.org/x</url><connection>scm:git:x</connection></scm></project>`))
	child, err := parsePom("pom.xml", []byte(`<project><artifactId>low</artifactId><organization><name>Us</name></organization></project>`))
	if err != nil {
		t.Fatal(err)
	}
	got := inheritInformation(child, parent, []string{"other", "deep/low"})
	for field, want := range map[string]string{"name": "", "description": "about", "organization.name": "Us",
		"organization.url": "", "url": "https://e.org/top/deep/low/", "scm.url": "https://scm.org/x",
		"scm.connection": "scm:git:x/deep/low"} {
		if got[field] != want {
			t.Errorf("%s is %q, want %q", field, got[field], want)
		}
	}
	for below, want := range map[string]string{"a/../b": "w/x/b", "../b": "w/b", "": "w/x", "./c": "w/x/c"} {
		if got := appendPath("w/x", below); got != want {
			t.Errorf("%s below w/x is %s, want %s", below, got, want)
		}
	}
}

// A list to which a parent says that children append is appended to, and so on below.
func TestMergeInheritedAttributes(t *testing.T) {
	parent := mustParse(t, `<configuration><list combine.children="append"><e>1</e></list></configuration>`)
	child := mustParse(t, `<configuration><list><e>2</e></list></configuration>`)
	low := mustParse(t, `<configuration><list><e>3</e></list></configuration>`)
	merged := mergeConfig(low, mergeConfig(child, parent))
	var texts string
	for _, k := range merged.Kid("list").Kids {
		texts += k.Text
	}
	if texts != "123" {
		t.Errorf("merged %q, want 123", texts)
	}
}
