package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/ir"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/session"
)

// dumpCmd prints what the program makes of one class file, or the links or native methods of a
// workspace, for those who work on it.
type dumpCmd struct {
	What string `arg:"" enum:"class,ir,facts,plan,links,natives" help:"class, ir, facts or plan of a class file; links or natives of a workspace."`
	File string `arg:"" optional:"" default:"." help:"A class file; for links and natives, a folder." placeholder:"FILE"`

	Method string `help:"Only methods whose name and descriptor contain this." placeholder:"NAME"`
	studied
	CallGraph string `help:"How the call graph is built, as for analyze." placeholder:"NAME"`
	Tests     bool   `help:"Include catches in test sources."`
}

func (c *dumpCmd) Run(ctx context.Context) error {
	switch c.What {
	case "links":
		return c.links(ctx)
	case "natives":
		return c.natives(ctx)
	}
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		return fmt.Errorf("dump %s %s: a folder; give a class file", c.What, c.File)
	}
	data, err := bounded.Read(c.File, bounded.Class)
	if err != nil {
		return err
	}
	class, err := classfile.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	show := map[string]func(io.Writer, *classfile.Class, []byte) error{
		"class": c.class, "ir": c.registerCode, "facts": c.facts, "plan": c.plan,
	}[c.What]
	if err := show(os.Stdout, class, data); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return nil
}

func (c *dumpCmd) wants(name, desc string) bool { return strings.Contains(name+desc, c.Method) }

// class prints the members, and of each method its exception table with lines.
func (c *dumpCmd) class(w io.Writer, class *classfile.Class, _ []byte) error {
	fmt.Fprintf(w, "class %s extends %s, version %d.%d\n", class.Name(), class.SuperName(), class.Major, class.Minor)
	for _, i := range class.InterfaceNames() {
		fmt.Fprintf(w, "implements %s\n", i)
	}
	for _, f := range class.Fields {
		fmt.Fprintf(w, "field %s %s\n", class.MemberName(f), class.MemberDesc(f))
	}
	for _, m := range class.Methods {
		if !c.wants(class.MemberName(m), class.MemberDesc(m)) {
			continue
		}
		fmt.Fprintf(w, "method %s%s\n", class.MemberName(m), class.MemberDesc(m))
		code, err := class.Code(m)
		if err != nil {
			return err
		}
		if code == nil {
			continue
		}
		lines, err := class.LineNumbers(code)
		if err != nil {
			return err
		}
		for _, e := range code.Exceptions {
			caught := "any"
			if e.CatchType != 0 {
				if caught, err = class.Pool.ClassName(e.CatchType); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "  [%d,%d) to %d, line %d: %s\n", e.StartPC, e.EndPC, e.HandlerPC,
				classfile.LineAt(lines, int(e.HandlerPC)), caught)
		}
	}
	return nil
}

// registerCode prints the blocks and instructions that analyses look at.
func (c *dumpCmd) registerCode(w io.Writer, class *classfile.Class, _ []byte) error {
	var b ir.Builder
	for _, m := range class.Methods {
		if !c.wants(class.MemberName(m), class.MemberDesc(m)) {
			continue
		}
		if m.Access&(classfile.AccAbstract|classfile.AccNative) != 0 {
			continue
		}
		low, err := b.Build(class, m)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, low)
	}
	return nil
}

// facts prints the record of the class as JSON, without the encoded flow of references.
func (c *dumpCmd) facts(w io.Writer, class *classfile.Class, data []byte) error {
	record, problems := facts.FromClass(class, data, facts.Options{Implicit: true})
	var methods []facts.Method
	for _, m := range record.Methods {
		if c.wants(m.Name, m.Desc) {
			m.Flow, m.Values = nil, nil
			methods = append(methods, m)
		}
	}
	shown := *record
	shown.Methods = methods
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(shown); err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "note:", p)
	}
	return nil
}

// plan prints the numbers of the probes that a class of the workspace gets.
func (c *dumpCmd) plan(w io.Writer, class *classfile.Class, data []byte) error {
	record, _ := facts.FromClass(class, data, facts.Options{})
	p := plan.ForClass(record, plan.Full)
	wanted := func(method uint16) (string, bool) {
		m := &record.Methods[method]
		return m.Name + m.Desc, c.wants(m.Name, m.Desc)
	}
	for _, t := range p.Tries {
		if name, ok := wanted(t.Method); ok {
			fmt.Fprintf(w, "try %d in %s: ranges %v\n", t.N, name, t.Ranges)
		}
	}
	for _, k := range p.Catches {
		if name, ok := wanted(k.Method); ok {
			h := &record.Methods[k.Method].Handlers()[k.Handler]
			fmt.Fprintf(w, "catch %d of try %d in %s: at %d, line %d, takes %s\n", k.N, k.Try, name, k.PC, h.Line,
				strings.Join(h.Types, ", "))
		}
	}
	for _, t := range p.Throws {
		if name, ok := wanted(t.Method); ok {
			fmt.Fprintf(w, "throw %d in %s: at %d, ordinal %d\n", t.N, name, t.PC, t.Ordinal)
		}
	}
	for _, d := range p.Dropped {
		if name, ok := wanted(d.Method); ok {
			fmt.Fprintf(w, "left out: %s: %s\n", name, d.Why)
		}
	}
	return nil
}

// load opens and analyses the workspace.
func (c *dumpCmd) load(ctx context.Context) (*session.Session, error) {
	return common{where: where{Dir: c.File, studied: c.studied}, CallGraph: c.CallGraph}.load(ctx, false, 0)
}

// natives prints a line for each native method that code of the workspace may get to and package
// natives has no row of: the method and what it declares, those outside the JDK first. How many
// native methods it may get to in all is on standard error.
func (c *dumpCmd) natives(ctx context.Context) error {
	s, err := c.load(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	snap := s.View().Snap
	list, reached := snap.NativesWithoutRow()
	n := 0
	for _, m := range list {
		if !strings.Contains(m.Method, c.Method) {
			continue
		}
		n++
		throws := "throws nothing"
		if len(m.Declared) > 0 {
			throws = "throws " + strings.Join(m.Declared, ", ")
		}
		fmt.Printf("%s.%s\t%s\n", m.Class, m.Method, throws)
	}
	fmt.Fprintf(os.Stderr, "%s without a row, of %d that are reached: call graph %s, entry points %s, JDK %s\n",
		codelens.Count(n, "native method"), reached, snap.Config.CallGraph, snap.Config.EntryPoints, snap.JDKVersion)
	return nil
}

// links prints a line for each predicted link (codelens.WriteLinkLines), and on standard error how
// many there are and of which configuration: two lists of different ones are not to be compared.
func (c *dumpCmd) links(ctx context.Context) error {
	s, err := c.load(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	v := s.View()
	n, err := codelens.WriteLinkLines(ctx, os.Stdout, v, func(k *snapshot.Catch) bool {
		return (c.Tests || !k.InTests) && strings.Contains(k.Method, c.Method)
	})
	if err != nil {
		return err
	}
	cfg := v.Snap.Config
	fmt.Fprintf(os.Stderr, "%s: call graph %s, exceptions %s, sites %s, entry points %s, JDK %s\n",
		codelens.Count(n, "link"), cfg.CallGraph, cfg.Studied.Exceptions,
		strings.Join(cfg.Studied.Sites.Names(), "+"), cfg.EntryPoints, v.Snap.JDKVersion)
	return nil
}
