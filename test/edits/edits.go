// Package edits changes the class files of a project as compilers would after
// edits of its sources: a method calls, makes, throws or catches something else, a
// method, class or supertype comes or goes. It serves tests and benchmarks of
// incremental analysis.
//
// Input is a folder of class files, which is written to, and a seed: the same seed
// makes the same edits. What is written are well-formed class files with stack
// maps; that other classes still link with them is not seen to, as a compiler that
// is given one changed source does not either.
package edits

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// Kind is what an edit does.
type Kind string

// The kinds of edits. The first two leave what methods do with calls, objects and
// exceptions as it is.
const (
	Lines        Kind = "lines moved"
	Constant     Kind = "constant changed"
	AddCall      Kind = "call added"
	AddObject    Kind = "object made"
	AddThrow     Kind = "throw added"
	AddTry       Kind = "try added"
	EmptyBody    Kind = "body removed"
	NarrowCatch  Kind = "catch narrowed"
	Restore      Kind = "class as it was"
	AddMethod    Kind = "method added"
	RemoveMethod Kind = "method removed"
	Declare      Kind = "throws clause changed"
	AddInterface Kind = "interface added"
	Superclass   Kind = "superclass changed"
	Access       Kind = "access changed"
	AddClass     Kind = "class added"
	RemoveClass  Kind = "class removed"
	RenameClass  Kind = "class renamed"
)

// Kinds lists all kinds.
var Kinds = []Kind{Lines, Constant, AddCall, AddObject, AddThrow, AddTry, EmptyBody, NarrowCatch, Restore, AddMethod,
	RemoveMethod,
	Declare, AddInterface, Superclass, Access, AddClass, RemoveClass, RenameClass}

// Editor edits one folder.
type Editor struct {
	dir      string
	rng      *rand.Rand
	original map[string][]byte // by class
	now      map[string][]byte
	added    int
}

// Edit is an edit that was made.
type Edit struct {
	Kind  Kind
	Class string // the class edited, by internal name
	What  string // more about it
	Files []string
}

func (e Edit) String() string { return fmt.Sprintf("%s: %s %s", e.Kind, e.Class, e.What) }

// New reads the class files of a folder.
func New(dir string, seed uint64) (*Editor, error) {
	e := &Editor{dir: dir, rng: rand.New(rand.NewPCG(seed, 1)), original: map[string][]byte{}, now: map[string][]byte{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".class") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		name := strings.TrimSuffix(filepath.ToSlash(rel), ".class")
		if !strings.HasSuffix(name, "-info") {
			e.original[name], e.now[name] = data, data
		}
		return nil
	})
	if err == nil && len(e.now) == 0 {
		err = fmt.Errorf("%s: no class files", dir)
	}
	return e, err
}

// Make makes one edit of a kind, in a class of its choice where that is possible.
func (e *Editor) Make(k Kind) (Edit, error) {
	for range 500 {
		name := pick(e.rng, e.classes())
		if k == Restore {
			if name = e.anyChanged(); name == "" {
				return Edit{}, fmt.Errorf("%s: no class has been changed", k)
			}
		}
		what, files, err := e.try(k, name)
		if err != nil {
			return Edit{}, fmt.Errorf("%s of %s: %w", k, name, err)
		}
		if files != nil {
			return Edit{k, name, what, files}, nil
		}
	}
	return Edit{}, fmt.Errorf("no class has something for: %s", k)
}

// classes lists the classes there are, sorted.
func (e *Editor) classes() []string {
	out := make([]string, 0, len(e.now))
	for name := range e.now {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// anyChanged is a class that is not as it was at first, "" where there is none.
func (e *Editor) anyChanged() string {
	var out []string
	for name, data := range e.original {
		if string(e.now[name]) != string(data) {
			out = append(out, name)
		}
	}
	for name := range e.now {
		if e.original[name] == nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	if len(out) == 0 {
		return ""
	}
	return pick(e.rng, out)
}

// Undo makes every class what it was at first.
func (e *Editor) Undo() error {
	for name := e.anyChanged(); name != ""; name = e.anyChanged() {
		if _, err := e.put(name, e.original[name]); err != nil {
			return err
		}
	}
	return nil
}

// try makes an edit of one class; without files there is nothing to edit in it.
func (e *Editor) try(k Kind, name string) (what string, files []string, err error) {
	switch k {
	case Restore:
		files, err = e.put(name, e.original[name])
		return "", files, err
	case RemoveClass:
		files, err = e.put(name, nil)
		return "", files, err
	case RenameClass:
		return e.rename(name)
	}
	c, err := classfile.Parse(e.now[name])
	if err != nil {
		return "", nil, err
	}
	x := &editing{Editor: e, c: c}
	done := false
	switch k {
	case Lines:
		what, done = x.moveLines()
	case Constant:
		what, done = x.changeConstant()
	case AddCall, AddObject, AddThrow, AddTry:
		what, done, err = x.prepend(k)
	case EmptyBody:
		what, done, err = x.empty()
	case NarrowCatch:
		what, done, err = x.narrow()
	case AddMethod:
		what, done, err = x.addMethod()
	case RemoveMethod:
		what, done = x.removeMethod()
	case Declare:
		what, done, err = x.declare()
	case AddInterface:
		what, done, err = x.addInterface()
	case Superclass:
		what, done, err = x.superclass()
	case Access:
		what, done = x.access()
	case AddClass:
		e.added++
		name = fmt.Sprintf("%sAdded%d", name, e.added)
		what, done = "as "+name, true
		c.ThisIndex, err = c.Pool.AddClass(name)
	}
	if err != nil || !done {
		return "", nil, err
	}
	data, err := c.Bytes()
	if err != nil {
		return "", nil, err
	}
	files, err = e.put(name, data)
	return what, files, err
}

// put writes a class file, or removes it.
func (e *Editor) put(name string, data []byte) ([]string, error) {
	file := filepath.Join(e.dir, filepath.FromSlash(name)+".class")
	if data == nil {
		delete(e.now, name)
		return []string{file}, os.Remove(file)
	}
	e.now[name] = data
	return []string{file}, os.WriteFile(file, data, 0o644)
}

// rename gives a class another name wherever it is named.
func (e *Editor) rename(name string) (what string, files []string, err error) {
	e.added++
	to := fmt.Sprintf("%sRenamed%d", name, e.added)
	for _, other := range e.classes() {
		c, err := classfile.Parse(e.now[other])
		if err != nil {
			return "", nil, err
		}
		data, found, err := renamedIn(c, name, to)
		if err != nil {
			return "", nil, err
		}
		if !found {
			continue
		}
		at := other
		if other == name {
			if more, err := e.put(other, nil); err == nil {
				files = append(files, more...)
			}
			at = to
		}
		more, err := e.put(at, data)
		if err != nil {
			return "", nil, err
		}
		files = append(files, more...)
	}
	return "to " + to, files, nil
}

// renamedIn is a class file in which the names of one class are those of another.
func renamedIn(c *classfile.Class, from, to string) ([]byte, bool, error) {
	data, err := c.Bytes()
	if err != nil {
		return nil, false, err
	}
	var out []byte
	found, at := false, 10 // behind magic, version and count
	out = append(out, data[:at]...)
	for i := 1; i < c.Pool.Len(); i++ {
		raw := c.Pool.Raw(uint16(i))
		if raw == nil { // behind a long or double
			continue
		}
		at += len(raw)
		if c.Pool.Tag(uint16(i)) == classfile.TagUtf8 {
			text := string(raw[3:])
			if changed := replaceName(text, from, to); changed != text {
				found = true
				raw = append([]byte{byte(classfile.TagUtf8), byte(len(changed) >> 8), byte(len(changed))}, changed...)
			}
		}
		out = append(out, raw...)
	}
	return append(out, data[at:]...), found, nil
}

// replaceName replaces a class's name where it is all of a text or stands in a
// descriptor or signature.
func replaceName(text, from, to string) string {
	if text == from {
		return to
	}
	return strings.NewReplacer("L"+from+";", "L"+to+";", "L"+from+"<", "L"+to+"<").Replace(text)
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
