package lsp

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
)

// In hovers and on pages code of the JDK that the project is compiled against is a link to its
// source, at its line.
func TestSourcesOfTheJDK(t *testing.T) {
	home := ""
	for _, h := range testjdk.All(t) {
		if _, err := os.Stat(filepath.Join(h, "lib", "src.zip")); err == nil {
			home = h
		}
	}
	if home == "" {
		testjdk.Missing(t, "a JDK with lib/src.zip")
	}
	root, file := compiled(t, fixture)
	if err := os.WriteFile(filepath.Join(root, "catchlens.toml"), []byte("jdk = "+strconv.Quote(home)+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	// Trusted from the beginning: the JDK of catchlens.toml counts in the first analysis, too.
	c := connectTo(t, session.Open, plainCaps, map[string]any{"cacheDir": cache, "trusted": true}, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	first := c.catches().Catches[0]
	var hover struct{ Contents struct{ Value string } }
	c.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": first.Range.Start}, &hover)
	var page written
	c.call("workspace/executeCommand", map[string]any{"command": "catchlens.showChains",
		"arguments": []any{first.ID}}, &page)
	for what, k := range map[string]struct{ text, method, at string }{
		"hover": {hover.Contents.Value, "new", "public FileInputStream(File "},
		"page":  {page.Text, "open0", "void open0(String "},
	} {
		m := regexp.MustCompile("\\[`FileInputStream\\." + k.method + "[^`]*`\\]\\(([^)]*)#L(\\d+)\\)").
			FindStringSubmatch(k.text)
		if m == nil {
			t.Errorf("no link into the JDK in the %s:\n%s", what, k.text)
			continue
		}
		path, err := url.PathUnescape(strings.TrimPrefix(m[1], "file://"))
		if err != nil {
			t.Fatal(err)
		}
		if what == "page" { // its links are relative, for previews that refuse others
			path = filepath.Join(filepath.Dir(strings.TrimPrefix(page.URI, "file://")), path)
		}
		if !strings.HasPrefix(path, cache) {
			t.Errorf("%s is not in the cache folder that the user has set", path)
		}
		source, err := os.ReadFile(path)
		line, _ := strconv.Atoi(m[2])
		lines := strings.Split(string(source), "\n")
		if err != nil || line > len(lines) || !strings.Contains(lines[line-1], k.at) {
			t.Errorf("%s: %s leads to %q, %v", what, m[0], lines[min(line, len(lines))-1], err)
		}
	}
	c.quit()
}
