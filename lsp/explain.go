package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/docs"
)

// This file shows the documentation, and links of hovers and diagnostics to that and to commands.

// explained is the page that says what a lens means; lensHovers is its section on hovers, and
// chainHovers what there is on those of methods.
const (
	explained   = "reference/lenses.md"
	lensHovers  = explained + "#hovers"
	chainHovers = "guide/tested-chains.md#in-an-editor"
)

// whatIsThis is the text of a link to the documentation.
const whatIsThis = "What is this?"

// explain shows a page of the documentation, named by its path below docs and, after a #, by one
// of its headings; without a name the page on lenses. The pages that it links to are beside it.
func (s *Server) explain(ctx context.Context, target string) (any, error) {
	page, heading, _ := strings.Cut(cmp.Or(target, explained), "#")
	text, err := docs.Pages.ReadFile(page)
	if err != nil {
		return nil, fmt.Errorf("the documentation has no page %s", page)
	}
	if _, err := s.pages(); err != nil {
		return nil, err
	}
	shown := shownDocument{name: page, data: text, line: headingLine(text, heading)}
	if s.caps.commandLinks { // a client that shows the page as a reader sees it
		shown.heading = heading
	}
	return s.show(ctx, shown)
}

// pages writes the documentation to where clients can read it, once. The result is its folder.
func (s *Server) pages() (string, error) {
	dir, err := s.scratch()
	if err != nil {
		return "", err
	}
	s.shown.pages.Do(func() {
		err := fs.WalkDir(docs.Pages, ".", func(path string, d fs.DirEntry, err error) error {
			to := filepath.Join(dir, filepath.FromSlash(path))
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.MkdirAll(to, 0o700)
			}
			text, err := docs.Pages.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(to, text, 0o600)
		})
		if err != nil {
			s.shown.pagesError = fmt.Errorf("writing the documentation: %w", err)
		}
	})
	return dir, s.shown.pagesError
}

// headingLine is the line (from 1) of the heading of a page that is written as it is linked to; 0
// if there is none.
func headingLine(page []byte, heading string) int {
	if heading == "" {
		return 0
	}
	for i, line := range strings.Split(string(page), "\n") {
		if title := strings.TrimLeft(line, "#"); title != line &&
			strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-") == heading {
			return i + 1
		}
	}
	return 0
}

// docLink is where a page of the documentation is to be had, named as for explain: a link that runs
// a command, of a client that said it can show such, else one to the file and the line. It is "" if
// the file cannot be written.
func (s *Server) docLink(target string) string {
	if s.opt.DocsURL != "" {
		return s.opt.DocsURL + target
	}
	if s.caps.commandLinks {
		return commandURI(codelens.CommandExplain, target)
	}
	dir, err := s.pages()
	if err != nil {
		s.log.Warn("links to the documentation are left out", "error", err)
		return ""
	}
	page, heading, _ := strings.Cut(target, "#")
	uri := pathURI(filepath.Join(dir, filepath.FromSlash(page)))
	text, _ := docs.Pages.ReadFile(page)
	if line := headingLine(text, heading); line > 0 {
		uri += fmt.Sprintf("#L%d", line)
	}
	return uri
}

// explainedHover is the Markdown of a hover with a link to the documentation, named as for explain,
// unless it has one.
func (s *Server) explainedHover(md, target string) string {
	if !s.caps.markdown || strings.Contains(md, "["+whatIsThis+"]") {
		return md
	}
	link := s.docLink(target)
	if link == "" {
		return md
	}
	return fmt.Sprintf("%s\n\n[%s](%s)\n", strings.TrimRight(md, "\n"), whatIsThis, link)
}

// action is a link that runs a command, of the kind that the client said it can show; nil where it
// said nothing.
func (s *Server) action() codelens.Action {
	if !s.caps.commandLinks {
		return nil
	}
	return func(label, command string, args ...string) string {
		return fmt.Sprintf("[%s](%s)", label, commandURI(command, args...))
	}
}

// commandURI is what a link has that runs a command.
func commandURI(command string, args ...string) string {
	text, _ := json.Marshal(args)
	return fmt.Sprintf("command:%s?%s", command, url.PathEscape(string(text)))
}
