package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/userfile"
)

// This file keeps judgements: audit/NAME.toml beside the workspace.

// Folder is where judgements are kept, below the folder of the workspace.
const Folder = "audit"

// What a judgement says of a link.
const (
	Feasible   = "feasible"   // some input or environment makes this site throw this into this catch
	Infeasible = "infeasible" // none does
	Unclear    = "unclear"
)

// Configuration is what decides, beside the code, which links there are.
type Configuration struct {
	CallGraph   string   `toml:"callGraph"`
	Exceptions  string   `toml:"exceptions"`
	Sites       []string `toml:"sites"`
	EntryPoints string   `toml:"entryPoints"`
	JDK         int      `toml:"jdk"` // feature version
}

// Judgement is what a reader found of one link.
type Judgement struct {
	Catch     string `toml:"catch"`     // ID
	Exception string `toml:"exception"` // source form
	ThrowSite string `toml:"throwSite"` // as snapshot.Site.Ref writes it
	// Place is where the catch stood when the link was drawn, for readers.
	Place string `toml:"place,omitempty"`
	// Gone tells, of a link judged infeasible, that an analysis did not predict it any more.
	Gone   bool   `toml:"gone,omitempty"`
	Says   string `toml:"says"` // Feasible, Infeasible, Unclear; "" for not judged yet
	Reason string `toml:"reason,multiline"`
}

func (j *Judgement) key() key { return key{j.Catch, j.Exception, j.ThrowSite} }

// Judgements are those of one file.
type Judgements struct {
	Configuration
	Links []Judgement `toml:"link"`
}

// File is where the judgements of a name are kept. The error says why a name is none.
func File(dir, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\:`) {
		return "", fmt.Errorf("%q names no file of judgements: it is a name such as links, without a folder", name)
	}
	return filepath.Join(dir, Folder, name+".toml"), nil
}

// Read reads a file of judgements; nil where there is none. The error names the file and says
// which judgement is none.
func Read(file string) (*Judgements, error) {
	data, err := bounded.Read(file, bounded.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var j Judgements
	dec := toml.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&j); err != nil {
		var derr *toml.DecodeError
		if errors.As(err, &derr) {
			row, _ := derr.Position()
			return nil, fmt.Errorf("%s:%d: %w", file, row, err)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	seen := map[key]bool{}
	for i := range j.Links {
		l := &j.Links[i]
		name := fmt.Sprintf("%s: %s from %s to %s", file, l.Exception, l.ThrowSite, l.Catch)
		_, ok := snapshot.LinkID(l.Catch, l.ThrowSite)
		switch {
		case l.Catch == "" || l.Exception == "" || !ok:
			return nil, fmt.Errorf("%s: this is no link: it has a catch, an exception and a throwSite", name)
		case l.Says != "" && l.Says != Feasible && l.Says != Infeasible && l.Says != Unclear:
			return nil, fmt.Errorf("%s says %q: use %s, %s or %s", name, l.Says, Feasible, Infeasible, Unclear)
		case l.Says != "" && strings.TrimSpace(l.Reason) == "":
			return nil, fmt.Errorf("%s says %s without a reason", name, l.Says)
		case l.Gone && l.Says != Infeasible:
			return nil, fmt.Errorf("%s is gone and not judged %s", name, Infeasible)
		case seen[l.key()]:
			return nil, fmt.Errorf("%s is there twice", name)
		}
		seen[l.key()] = true
	}
	return &j, nil
}

// Write writes a file of judgements, and makes its folder. The error names the file.
func (j *Judgements) Write(file string) error {
	data, err := toml.Marshal(j)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return userfile.Replace(file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Add puts links that were drawn behind the judgements, for somebody to judge, as far as they are
// not among them.
func (j *Judgements) Add(drawn []*snapshot.Link) {
	have := map[key]bool{}
	for i := range j.Links {
		have[j.Links[i].key()] = true
	}
	for _, l := range drawn {
		if k := keyOf(l); !have[k] {
			j.Links = append(j.Links, Judgement{Catch: k.catch, Exception: k.exception, ThrowSite: k.site,
				Place: fmt.Sprintf("%s:%d", l.Catch.File.Path, l.Catch.Line)})
		}
	}
}

// Of finds the judgement on a link; nil if there is none.
func (j *Judgements) Of(l *snapshot.Link) *Judgement {
	i := slices.IndexFunc(j.Links, func(x Judgement) bool { return x.key() == keyOf(l) })
	if i < 0 {
		return nil
	}
	return &j.Links[i]
}

// predictions has the links that are predicted now, by what identifies them.
func predictions(v codelens.View) map[key]*snapshot.Link {
	now := map[key]*snapshot.Link{}
	for _, c := range v.Snap.Catches {
		for _, l := range v.Links(c) {
			now[keyOf(l)] = l
		}
	}
	return now
}

// NoteGone notes which of the links judged infeasible are not predicted, and returns how many
// that are that had been until now.
func (j *Judgements) NoteGone(v codelens.View) (n int) {
	now := predictions(v)
	for i := range j.Links {
		if l := &j.Links[i]; l.Says == Infeasible && !l.Gone && now[l.key()] == nil {
			l.Gone = true
			n++
		}
	}
	return n
}

// Contradictions says, a line each, where what is predicted now contradicts a judgement: a link
// judged feasible is not there, one judged infeasible that had gone is back, or a test has made one
// judged infeasible happen.
func (j *Judgements) Contradictions(v codelens.View) (out []string) {
	now := predictions(v)
	for i := range j.Links {
		l := &j.Links[i]
		link := now[l.key()]
		what := ""
		switch {
		case l.Says == Feasible && link == nil && v.Snap.ByID[l.Catch] == nil:
			what = "judged feasible, and there is no such catch any more: take the judgement out"
		case l.Says == Feasible && link == nil:
			what = "judged feasible, and not predicted any more"
		case l.Says == Infeasible && link != nil && v.IsExperienced(link):
			what = "judged infeasible, and a test has made it happen"
		case l.Says == Infeasible && link != nil && l.Gone:
			what = "judged infeasible, had gone, and is predicted again"
		default:
			continue
		}
		place := l.Place
		if c := v.Snap.ByID[l.Catch]; c != nil {
			place = fmt.Sprintf("%s:%d", c.File.Path, c.Line)
		}
		out = append(out, codelens.Plain(fmt.Sprintf("%s: %s from %s: %s", place, l.Exception, l.ThrowSite, what),
			false))
	}
	return out
}
