package rewrite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/plan"
)

// This file feeds the rewriter with damaged classes.

// tableFacts is a facts.Class with no more than plans need, read off the code
// without any analysis, so that fuzzing tries the rewriter alone.
func tableFacts(c *classfile.Class) (*facts.Class, error) {
	f := &facts.Class{Name: c.Name()}
	for _, m := range c.Methods {
		fm := facts.Method{Access: m.Access, Details: &facts.MethodDetails{}}
		code, err := c.Code(m)
		if err != nil {
			return nil, err
		}
		if code != nil {
			tableMethod(c, code, &fm)
		}
		f.Methods = append(f.Methods, fm)
	}
	return f, nil
}

func tableMethod(c *classfile.Class, code *classfile.Code, fm *facts.Method) {
	byPC := map[uint16]uint16{}
	for _, x := range code.Exceptions {
		h, ok := byPC[x.HandlerPC]
		if !ok {
			h = uint16(len(fm.Handlers()))
			byPC[x.HandlerPC] = h
			fm.Details.Handlers = append(fm.Handlers(), facts.Handler{PC: int32(x.HandlerPC)})
		}
		name := ""
		if x.CatchType != 0 {
			name = fmt.Sprintf("t%d", x.CatchType)
		}
		fm.Details.Table = append(fm.Table(),
			facts.TableEntry{Start: int32(x.StartPC), End: int32(x.EndPC), Handler: h, Type: name})
	}
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return
		}
		if in.Op == classfile.OpAthrow {
			fm.Details.Throws = append(fm.Throws(), facts.Throw{
				Site:    facts.Site{PC: int32(in.PC), Ordinal: uint16(len(fm.Throws()))},
				Sources: []facts.Source{{Kind: facts.NewSource}, {Kind: facts.CaughtSource}}[:1+in.PC%2],
			})
		}
	}
}

// rewriteAny rewrites whatever parses, and checks that what comes out holds
// together: whatever names a pc names the start of an instruction.
func rewriteAny(t *testing.T, data []byte) {
	c, err := classfile.Parse(data)
	if err != nil {
		return
	}
	f, err := tableFacts(c)
	if err != nil {
		return
	}
	start := time.Now()
	p := plan.ForClass(f, plan.Full)
	coverage.OfClass(c, techniques[len(data)%len(techniques)]).AddTo(p)
	res, err := Rewrite(data, p)
	if spent := time.Since(start); spent > 30*time.Second {
		t.Errorf("took %v", spent)
	}
	if err != nil {
		if !strings.HasPrefix(err.Error(), "class ") {
			t.Errorf("error %q does not name the class", err)
		}
		return
	}
	out, err := classfile.Parse(res.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	skipped := map[int]bool{}
	for _, s := range res.Skipped {
		skipped[s.Method] = true
	}
	if skipped[-1] {
		return
	}
	for i, m := range out.Methods {
		code, err := out.Code(m)
		if err != nil {
			t.Fatal(err)
		}
		if code != nil && !skipped[i] {
			checkCode(t, out, m, code)
		}
	}
}

func checkCode(t *testing.T, c *classfile.Class, m *classfile.Member, code *classfile.Code) {
	t.Helper()
	starts := map[int]bool{len(code.Bytecode): true}
	var targets []int
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			t.Fatal(err)
		}
		starts[in.PC] = true
		if isBranch(in.Op) || in.Op.IsSwitch() {
			targets = append(append(targets, in.Target), in.Targets...)
		}
	}
	for _, x := range code.Exceptions {
		targets = append(targets, int(x.StartPC), int(x.EndPC), int(x.HandlerPC))
	}
	if c.Major >= frameVersion {
		frames, err := c.StackMap(m, code)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			targets = append(targets, f.PC)
		}
	}
	for _, pc := range targets {
		if !starts[pc] {
			t.Fatalf("pc %d is inside an instruction", pc)
		}
	}
}

// FuzzRewrite damages whole class files.
func FuzzRewrite(f *testing.F) {
	for _, data := range seedClasses(f) {
		f.Add(data)
	}
	f.Fuzz(rewriteAny)
}

// FuzzStretch stretches the handlers of anything that parses: an error or a class.
func FuzzStretch(f *testing.F) {
	for _, data := range seedClasses(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := classfile.Parse(data)
		if err != nil {
			return
		}
		rec, _ := facts.FromClass(c, data, facts.Options{})
		for i := range rec.Methods {
			for k := range rec.Methods[i].Handlers() {
				out, err := Stretch(data, rec, []Stretching{{i, k, "b/Wide"}}, func(string) *facts.Class { return nil })
				if err != nil {
					continue
				}
				if _, err := classfile.Parse(out); err != nil {
					t.Fatalf("a stretched class does not parse: %v", err)
				}
			}
		}
	})
}

// seedClasses are small classes of today and of old.
func seedClasses(f *testing.F) [][]byte {
	f.Helper()
	t := &testing.T{}
	var out [][]byte
	for _, major := range []uint16{45, 49, 50, 61} {
		a := newAssembler(t, "Seed", major)
		a.static("f", "(I)I", 2, 3, seedText, seedTable...)
		data, err := a.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, data)
	}
	out = append(out, brokenBytes(f))
	return out
}

const seedText = `
	loop:
		iload 0
		ifge e
		aconst_null
		athrow
	e:
		iload 0
		ireturn
	h:
		astore 1
		goto loop
	any:
		athrow`

var seedTable = []catchEntry{{"loop", "e", "h", "a/E"}, {"loop", "h", "any", ""}}

// FuzzCode damages code, exception table and frames of one method.
func FuzzCode(f *testing.F) {
	for _, data := range seedClasses(f) {
		c, err := classfile.Parse(data)
		if err != nil {
			f.Fatal(err)
		}
		for _, m := range c.Methods {
			if code, err := c.Code(m); err == nil && code != nil {
				f.Add(code.Bytecode, tableBytes(code), []byte{0, 1, 0}, c.Major, 3)
				f.Add(code.Bytecode, tableBytes(code), []byte{0, 2, 64, 1, 251, 0, 3}, c.Major, 3000)
			}
		}
	}
	f.Fuzz(func(t *testing.T, bytecode, table, frames []byte, major uint16, nops int) {
		a := newAssembler(t, "Fuzzed", 45+major%25)
		if nops %= 60000; nops > 0 { // makes jumps long
			bytecode = append(append(append([]byte{}, bytecode...), make([]byte, nops)...), bytecode...)
		}
		code := &classfile.Code{MaxStack: 2, MaxLocals: 3, Bytecode: bytecode}
		types := []uint16{0, a.index(a.Pool.AddClass("a/E")), a.index(a.Pool.AddClass(throwableName))}
		for len(table) >= 7 && len(bytecode) > 0 {
			n := uint16(min(len(bytecode), 0xffff))
			code.Exceptions = append(code.Exceptions, classfile.ExceptionEntry{
				StartPC: be.Uint16(table) % n, EndPC: be.Uint16(table[2:])%n + 1, HandlerPC: be.Uint16(table[4:]) % n,
				CatchType: types[table[6]%3],
			})
			table = table[7:]
		}
		var err error
		if len(frames) > 0 {
			if code.Attributes, err = a.SetAttr(nil, "StackMapTable", frames); err != nil {
				t.Fatal(err)
			}
		}
		m := &classfile.Member{
			Access:    classfile.AccStatic,
			NameIndex: a.index(a.Pool.AddUtf8("f")), DescIndex: a.index(a.Pool.AddUtf8("(I)I")),
		}
		a.Methods = append(a.Methods, m)
		if a.SetCode(m, code) != nil {
			return // too long
		}
		data, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		rewriteAny(t, data)
	})
}

func tableBytes(code *classfile.Code) []byte {
	var b []byte
	for i, x := range code.Exceptions {
		b = be.AppendUint16(be.AppendUint16(be.AppendUint16(b, x.StartPC), x.EndPC), x.HandlerPC)
		b = append(b, byte(i+1))
	}
	return b
}

// TestHostileSizes has methods of the largest size with everything quadratic
// in them: they may be left out, but not take long.
func TestHostileSizes(t *testing.T) {
	a := newAssembler(t, "Hostile", 49)
	handler := a.index(a.Pool.AddClass("a/E"))
	for _, kind := range []string{"nested", "oneTry", "many"} {
		code := &classfile.Code{MaxStack: 1, MaxLocals: 1, Bytecode: make([]byte, 65000)}
		for i := 0; i+3 < 32000; i += 3 { // jumps everywhere
			be.PutUint16(code.Bytecode[i+1:], uint16(30000-i%2000*3%30000))
			code.Bytecode[i] = byte(classfile.OpIfnull)
		}
		code.Bytecode[len(code.Bytecode)-1] = byte(classfile.OpReturn)
		for i := range 65000 {
			x := classfile.ExceptionEntry{StartPC: 0, EndPC: 64000, HandlerPC: 64500, CatchType: handler}
			switch kind {
			case "nested":
				x.StartPC, x.HandlerPC = uint16(40000+i%10000), uint16(40000+i%20000)
			case "oneTry":
				x.StartPC, x.EndPC = uint16(33000+i%10000), uint16(44000+i%20000)
			case "many":
				x.StartPC, x.EndPC, x.HandlerPC = uint16(33000+i%30000), uint16(33001+i%30000), uint16(33000+
					(i+7)%30000)
			}
			code.Exceptions = append(code.Exceptions, x)
		}
		m := &classfile.Member{Access: classfile.AccStatic, NameIndex: a.index(a.Pool.AddUtf8(kind)),
			DescIndex: a.index(a.Pool.AddUtf8("(I)V"))}
		a.Methods = append(a.Methods, m)
		if err := a.SetCode(m, code); err != nil {
			t.Fatal(err)
		}
	}
	data, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	rewriteAny(t, data)
}
