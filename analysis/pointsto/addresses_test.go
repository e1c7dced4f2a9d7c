package pointsto_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/programtest"
	"catchlens/analysis/callgraph/rta"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
	"catchlens/internal/testjdk"
)

// addresses has a program in each of its classes. Which protocols' handlers run is
// said beside each.
const addresses = `
import java.io.File;
import java.net.URL;

class Any { // ftp and http
	public static void main(String[] args) throws Exception { new URL(args[0]).openStream().read(); }
}
class Http { // http
	public static void main(String[] args) throws Exception { new URL("http://" + "localhost").openStream().read(); }
}
class Local { // none
	public static void main(String[] args) throws Exception { new URL("file:/etc/hosts").openStream().read(); }
}
class FromFile { // ftp and http: a URI says nothing of its protocol
	public static void main(String[] args) throws Exception { new File(args[0]).toURI().toURL().openStream().read(); }
}
class Resource { // none
	public static void main(String[] args) throws Exception { Resource.class.getResource("a").openStream().read(); }
}
`

// URL makes the handlers of most protocols by a name that it puts together.
func TestProtocolHandlers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "Addresses.java")
	if err := os.WriteFile(file, []byte(addresses), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, home := range testjdk.All(t) {
		out := t.TempDir()
		testjdk.Javac(t, home, 17, nil, out, file)
		p := programtest.Open(t, home, facts.Options{}, 1, out)
		for class, protocols := range map[string][]string{
			"Any": {"ftp", "http"}, "Http": {"http"}, "Local": nil, "FromFile": {"ftp", "http"}, "Resource": nil,
		} {
			cfg := callgraph.Config{Entries: callgraph.MainEntries(p, []string{class}), Workspace: []string{class}, Providers: p.Providers}
			graphs := map[string]*callgraph.Graph{
				"rta": rta.Build(hierarchy.New(p), cfg), "pta": pointsto.Build(hierarchy.New(p), cfg, pointsto.Insensitive).Graph,
			}
			for name, g := range graphs {
				for _, protocol := range []string{"ftp", "http"} {
					want := slices.Contains(protocols, protocol)
					if got := reaches(p, g, "sun/net/www/protocol/"+protocol+"/Handler", "openConnection"); got != want {
						t.Errorf("JDK %d, %s, %s: %s opens connections: %v, want %v", testjdk.Feature(t, home), class, name, protocol, got, want)
					}
				}
			}
		}
	}
}

// reaches tells whether a method of that name is in a graph.
func reaches(p *programtest.Program, g *callgraph.Graph, class, method string) bool {
	c, ok := p.Class(class)
	for i := 0; ok && i < len(c.Methods); i++ {
		if c.Methods[i].Name == method && g.Find(class, i) != callgraph.NoNode {
			return true
		}
	}
	return false
}
