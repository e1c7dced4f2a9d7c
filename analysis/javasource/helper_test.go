package javasource

// This file reads class files for the tests.

import (
	"os"
	"path/filepath"
	"sort"
	"testing"

	"catchlens/analysis/classfile"
	"catchlens/analysis/facts"
)

// readClasses reads the facts of all class files below a folder.
func readClasses(t testing.TB, dir string) []*facts.Class {
	t.Helper()
	var all []*facts.Class
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".class" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all = append(all, factsOf(t, path, data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func factsOf(t testing.TB, path string, data []byte) *facts.Class {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	r := &facts.Class{Name: c.Name(), Super: c.SuperName(), Interfaces: c.InterfaceNames(), Access: c.Access, Major: c.Major}
	r.SourceFile, _ = c.SourceFile()
	inner, _ := c.InnerClasses()
	for _, x := range inner {
		if x.Inner == r.Name {
			r.Outer = x.Outer
		}
	}
	if e, _ := c.EnclosingMethod(); e != nil {
		r.Outer, r.OuterMethod, r.OuterDesc = e.Class, e.Name, e.Desc
	}
	for _, m := range c.Methods {
		r.Methods = append(r.Methods, methodFacts(t, c, m))
	}
	return r
}

func methodFacts(t testing.TB, c *classfile.Class, m *classfile.Member) facts.Method {
	r := facts.Method{Name: c.MemberName(m), Desc: c.MemberDesc(m), Access: m.Access}
	code, err := c.Code(m)
	if err != nil {
		t.Fatal(err)
	}
	if code == nil {
		return r
	}
	lines, _ := c.LineNumbers(code)
	vars, _ := c.LocalVariables(code)
	for _, l := range lines {
		if n := int32(l.Line); r.FirstLine == 0 || n < r.FirstLine {
			r.FirstLine = n
		}
	}
	index := make(map[int32]int)
	for _, e := range code.Exceptions {
		pc := int32(e.HandlerPC)
		if _, ok := index[pc]; !ok {
			index[pc] = 0
			h := facts.Handler{PC: pc, Line: int32(classfile.LineAt(lines, int(pc)))}
			in, err := classfile.Decode(code.Bytecode, int(pc))
			if err != nil {
				t.Fatal(err)
			}
			if slot, ok := in.Local(); ok {
				for _, v := range vars {
					if int(v.Slot) == slot && int(v.StartPC) <= in.Next() && in.Next() < int(v.StartPC)+int(v.Length) {
						h.Param = v.Name
					}
				}
			}
			r.Handlers = append(r.Handlers, h)
		}
	}
	sort.Slice(r.Handlers, func(i, j int) bool { return r.Handlers[i].PC < r.Handlers[j].PC })
	for i, h := range r.Handlers {
		index[h.PC] = i
	}
	for _, e := range code.Exceptions {
		name, _ := c.Pool.ClassName(e.CatchType)
		i := index[int32(e.HandlerPC)]
		r.Table = append(r.Table, facts.TableEntry{Start: int32(e.StartPC), End: int32(e.EndPC), Handler: uint16(i), Type: name})
		h := &r.Handlers[i]
		known := false
		for _, s := range h.Types {
			known = known || s == name
		}
		if !known {
			h.Types = append(h.Types, name)
		}
	}
	bootstrap, _ := c.BootstrapMethods()
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			t.Fatal(err)
		}
		site := facts.Site{PC: int32(in.PC), Line: int32(classfile.LineAt(lines, in.PC))}
		switch {
		case in.Op == classfile.OpAthrow:
			site.Ordinal = uint16(len(r.Throws))
			r.Throws = append(r.Throws, facts.Throw{Site: site})
		case in.Op == classfile.OpInvokedynamic:
			d, err := c.Pool.InvokeDynamic(uint16(in.Index))
			if err != nil {
				t.Fatal(err)
			}
			call := facts.Call{Site: site, Kind: facts.Dynamic, Name: d.Name, Desc: d.Desc, Indy: &facts.Indy{}}
			b := bootstrap[d.Bootstrap]
			if h, _ := c.Pool.MethodHandle(b.Handle); h.Owner == "java/lang/invoke/LambdaMetafactory" {
				call.Indy.Kind = facts.LambdaIndy
				impl, _ := c.Pool.MethodHandle(b.Args[1])
				call.Indy.Impl = facts.Handle{Kind: uint8(impl.Kind), Owner: impl.Owner, Name: impl.Name, Desc: impl.Desc}
			}
			call.Ordinal = uint16(len(r.Calls))
			r.Calls = append(r.Calls, call)
		case in.Op.IsInvoke():
			ref, err := c.Pool.MemberRef(uint16(in.Index))
			if err != nil {
				t.Fatal(err)
			}
			site.Ordinal = uint16(len(r.Calls))
			r.Calls = append(r.Calls, facts.Call{Site: site, Owner: ref.Owner, Name: ref.Name, Desc: ref.Desc})
		}
	}
	return r
}
