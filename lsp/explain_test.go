package lsp

import (
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/docs"
)

// The page on lenses comes from inside the program, with the pages that it links to; another page
// comes by its name, and what is no page is told.
func TestExplain(t *testing.T) {
	root, _ := compiled(t, fixture)
	c := connect(t, plainCaps, root)
	var got written
	c.call("workspace/executeCommand", map[string]any{"command": "catchlens.explain"}, &got)
	if !strings.Contains(got.Text, "# Lenses and hovers") {
		t.Errorf("the page is %.80q", got.Text)
	}
	page := uriPath(got.URI)
	for _, other := range []string{"contracts.md", "faults.md", "../guide/reading-a-lens.md"} {
		if _, err := os.Stat(strings.TrimSuffix(page, "lenses.md") + other); err != nil {
			t.Error(err)
		}
	}
	c.call("workspace/executeCommand", map[string]any{"command": "catchlens.explain",
		"arguments": []string{codelens.DocPage(codelens.CodeUnpredicted)}}, &got)
	if !strings.HasPrefix(got.Text, "# Diagnostics") || !strings.HasSuffix(got.URI, "/reference/diagnostics.md") {
		t.Errorf("%s: %.80q", got.URI, got.Text)
	}
	for _, bad := range []string{"../go.mod", "reference/nothing.md", "reference"} {
		if err := c.conn.Call(t.Context(), "workspace/executeCommand", map[string]any{"command": "catchlens.explain",
			"arguments": []string{bad}}, nil); err == nil || !strings.Contains(err.Error(), "no page "+bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	c.quit()
}

// Each code of a diagnostic leads to its section: by a command where the client runs such, else in
// a file, at its line; hovers lead to theirs, once.
func TestDocLinks(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	s := &Server{log: log, caps: clientCapabilities{codeDescription: true, markdown: true}}
	defer func() { s.shown.dir.Remove() }()
	commands := &Server{log: log, caps: clientCapabilities{codeDescription: true, commandLinks: true, markdown: true}}
	for _, code := range append([]string{codeNotCompiled}, codelens.Codes...) {
		href := s.codeDescription(code).Href
		file, at, _ := strings.Cut(href, "#L")
		text, err := os.ReadFile(uriPath(file))
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := strconv.Atoi(at); n == 0 || strings.Split(string(text), "\n")[n-1] != "## "+code {
			t.Errorf("%s leads to %s", code, href)
		}
		name, args, _ := strings.Cut(commands.codeDescription(code).Href, "?")
		args, err = url.PathUnescape(args)
		if want := `["reference/diagnostics.md#` + code + `"]`; err != nil || name != "command:catchlens.explain" || args != want {
			t.Errorf("%s runs %s with %s, want %s", code, name, args, want)
		}
	}
	if d := (&Server{log: log}).codeDescription(codelens.CodeUnpredicted); d != nil {
		t.Errorf("a client that shows no links gets %v", d)
	}
	for _, target := range []string{lensHovers, chainHovers} {
		page, heading, _ := strings.Cut(target, "#")
		if text, _ := docs.Pages.ReadFile(page); headingLine(text, heading) == 0 {
			t.Errorf("there is no section %s", target)
		}
	}
	once := s.explainedHover("text\n", lensHovers)
	if !strings.HasPrefix(once, "text\n\n[What is this?](file:") || s.explainedHover(once, lensHovers) != once {
		t.Errorf("hover: %q", once)
	}
	if plain := (&Server{log: log}).explainedHover("text", lensHovers); plain != "text" {
		t.Errorf("a client that shows text alone gets %q", plain)
	}
}

var pageLink = regexp.MustCompile(`\]\(([^):#\s]+\.md)(?:#[^)]*)?\)`)

// The pages for users link to no page that is not inside the program.
func TestPagesAreWhole(t *testing.T) {
	n := 0
	for _, dir := range []string{"guide", "reference"} {
		list, err := fs.Glob(docs.Pages, dir+"/*.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			text, err := docs.Pages.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range pageLink.FindAllStringSubmatch(string(text), -1) {
				n++
				to := path.Join(dir, m[1])
				if _, err := fs.Stat(docs.Pages, to); err != nil && !strings.HasPrefix(to, "..") {
					t.Errorf("%s links to %s", p, to)
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d links were seen", n)
	}
}
