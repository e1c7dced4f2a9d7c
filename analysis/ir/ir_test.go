package ir

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// build lowers and verifies an assembled method.
func build(t *testing.T, p poolRefs, a assembly) *Method {
	t.Helper()
	var b Builder
	m, err := b.Build(p.class, p.add(t, a))
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(m); err != nil {
		t.Errorf("%v in\n%s", err, m)
	}
	return m
}

func expectText(t *testing.T, m *Method, want string) {
	t.Helper()
	if got, want := strings.TrimSpace(m.String()), strings.TrimSpace(strings.ReplaceAll(want, "\t", "")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// finallyBySubroutine is try { a(); } finally { b(); } as javac 1.3 wrote it: the
// subroutine at 13 is called from the end of the try block and from the handler.
func finallyBySubroutine(p poolRefs) assembly {
	return assembly{"()V", 1, 2, ops(
		classfile.OpInvokestatic, p.callA, // 0
		classfile.OpJsr, int16(10), // 3
		classfile.OpReturn,        // 6
		classfile.OpAstore0,       // 7: handler
		classfile.OpJsr, int16(5), // 8
		classfile.OpAload0,                // 11
		classfile.OpAthrow,                // 12
		classfile.OpAstore1,               // 13: subroutine
		classfile.OpInvokestatic, p.callB, // 14
		classfile.OpRet, 1, // 17
	), []classfile.ExceptionEntry{{StartPC: 0, EndPC: 3, HandlerPC: 7}}}
}

func TestSubroutineIsInlined(t *testing.T) {
	p := newPool(t)
	expectText(t, build(t, p, finallyBySubroutine(p)), `
m()V
b0 [0,3) b1 !b4
  invokestatic T.a
b1 [3,6) b2
  v2 = retaddr 6
b2 [13,19) inlined 2 b3
  invokestatic T.b
b3 [6,7)
  return
b4 [7,11) b5
  v5 = catch 0
  v6 = retaddr 11
b5 [13,19) inlined 1 b6
  invokestatic T.b
b6 [11,13)
  throw v5
`)
}

// A subroutine that calls another one, and one that returns to its caller's
// caller: the local variable of ret tells which subroutine it ends.
func TestNestedSubroutines(t *testing.T) {
	p := newPool(t)
	m := build(t, p, assembly{"()V", 1, 3, ops(
		classfile.OpJsr, int16(4), // 0
		classfile.OpReturn,        // 3
		classfile.OpAstore0,       // 4: outer
		classfile.OpJsr, int16(5), // 5
		classfile.OpRet, 0, // 8
		classfile.OpAstore1,               // 10: inner
		classfile.OpInvokestatic, p.callI, // 11
		classfile.OpIfeq, int16(5), // 14
		classfile.OpRet, 1, // 17
		classfile.OpRet, 0, // 19: leaves both
	), nil})
	returns := 0
	for id := range m.Blocks {
		b := &m.Blocks[id]
		if b.Last > b.First && m.Instrs[b.Last-1].Op == OpReturn {
			returns++
			if n := len(m.Preds(BlockID(id))); n != 2 {
				t.Errorf("return has %d predecessors, want the two rets that end the outer subroutine\n%s", n, m)
			}
		}
	}
	if returns != 1 {
		t.Errorf("%d returns\n%s", returns, m)
	}
}

func TestFirstBlockWithPredecessors(t *testing.T) {
	p := newPool(t)
	m := build(t, p, assembly{"(I)V", 1, 1, ops(
		classfile.OpIinc, 0, -1, // 0
		classfile.OpIload0,          // 3
		classfile.OpIfne, int16(-4), // 4
		classfile.OpReturn, // 7
	), nil})
	expectText(t, m, `
m(I)V
b0 [0,0) b1
  v1 = param 0
b1 [0,7) b2 b1
  v2 = phi v1 v3
  v3 = iinc -1 v2
  ifne v3
b2 [7,8)
  return
`)
}

// A handler that control also reaches by falling into it, with an object of its
// own on the stack.
func TestHandlerReachedNormally(t *testing.T) {
	p := newPool(t)
	m := build(t, p, assembly{"(Ljava/io/IOException;)V", 1, 1, ops(
		classfile.OpInvokestatic, p.callA, // 0
		classfile.OpAload0, // 3
		classfile.OpAthrow, // 4: handler
	), []classfile.ExceptionEntry{{StartPC: 0, EndPC: 3, HandlerPC: 4, CatchType: p.npe}}})
	expectText(t, m, `
m(Ljava/io/IOException;)V
b0 [0,3) b1 !b2
  v1 = param 0
  invokestatic T.a
b1 [3,4) b3
b2 [4,4) b3
  v3 = catch 0
b3 [4,5)
  v4 = phi v1 v3
  throw v4
`)
}

// The local variables that a handler sees are those before the instruction that
// threw: 1 or 2 here, never 3, whose assignment nothing can interrupt.
func TestHandlerSeesVariablesBeforeThrow(t *testing.T) {
	p := newPool(t)
	m := build(t, p, assembly{"()I", 1, 1, ops(
		classfile.OpIconst1, classfile.OpIstore0, // 0
		classfile.OpInvokestatic, p.callA, // 2
		classfile.OpIconst2, classfile.OpIstore0, // 5
		classfile.OpInvokestatic, p.callB, // 7
		classfile.OpIconst3, classfile.OpIstore0, // 10
		classfile.OpIload0, classfile.OpIreturn, // 12
		classfile.OpPop,                         // 14: handler
		classfile.OpIload0, classfile.OpIreturn, // 15
	), []classfile.ExceptionEntry{{StartPC: 2, EndPC: 12, HandlerPC: 14}}})
	expectText(t, m, `
m()I
b0 [0,2) b1
  v1 = iconst_1 1
b1 [2,7) b2 !b4
  invokestatic T.a
  v3 = iconst_2 2
b2 [7,12) b3 !b4
  invokestatic T.b
  v5 = iconst_3 3
b3 [12,14)
  return v5
b4 [14,17)
  v7 = phi v1 v3
  v8 = catch 0
  return v7
`)
}

// A handler whose range holds nothing that may throw is entered by asynchronous
// exceptions and by probes only; it is not dead.
func TestHandlerOfHarmlessRange(t *testing.T) {
	p := newPool(t)
	m := build(t, p, assembly{"()V", 1, 1, ops(
		classfile.OpIconst1, classfile.OpIstore0, // 0
		classfile.OpReturn, // 2
		classfile.OpAthrow, // 3
	), []classfile.ExceptionEntry{{StartPC: 0, EndPC: 2, HandlerPC: 3}}})
	if m.Handlers[0].Blocks != 1 {
		t.Errorf("the handler is not reached\n%s", m)
	}
}

// What a range that catches everything holds never gets to the entries below
// it: handler 1 is reached from the handler of entry 0 only.
func TestEntriesBelowCatchAll(t *testing.T) {
	p := newPool(t)
	m := build(t, p, assembly{"()V", 1, 1, ops(
		classfile.OpInvokestatic, p.callA, // 0
		classfile.OpReturn,                // 3
		classfile.OpPop,                   // 4: handler 0
		classfile.OpInvokestatic, p.callB, // 5
		classfile.OpReturn, // 8
		classfile.OpAthrow, // 9: handler 1
	), []classfile.ExceptionEntry{
		{StartPC: 0, EndPC: 3, HandlerPC: 4},
		{StartPC: 0, EndPC: 9, HandlerPC: 9, CatchType: p.ioe},
	}})
	for id := range m.Blocks {
		want := map[int32]int{0: 0, 4: 1}[m.Blocks[id].PC]
		if hs := m.HandlerSuccs(BlockID(id)); len(hs) > 0 && int(m.Blocks[hs[0]].Handler) != want {
			t.Errorf("block %d goes to handler %d\n%s", id, m.Blocks[hs[0]].Handler, m)
		}
	}
}

func TestStackShuffling(t *testing.T) {
	p := newPool(t)
	// dup2_x2 of two longs, dup2_x1, dup_x2 and swap of ints.
	m := build(t, p, assembly{"(JJII)J", 8, 6, ops(
		classfile.OpLload0, classfile.OpLload2, classfile.OpDup2X2, // b a b
		classfile.OpLsub, classfile.OpLadd, // b + (a - b)
		classfile.OpIload, 4, classfile.OpIload, 5, classfile.OpDupX1, // l j i j
		classfile.OpSwap, classfile.OpIsub, classfile.OpIadd, // j + (j - i)
		classfile.OpI2l, classfile.OpLmul,
		classfile.OpLreturn,
	), nil})
	expectText(t, m, `
m(JJII)J
b0 [0,16)
  v1 = param 0
  v2 = param 1
  v3 = param 2
  v4 = param 3
  v5 = lsub v1 v2
  v6 = ladd v2 v5
  v7 = isub v4 v3
  v8 = iadd v4 v7
  v9 = i2l v8
  v10 = lmul v6 v9
  return v10
`)
}

func TestWideAndSwitch(t *testing.T) {
	p := newPool(t)
	code := ops(
		classfile.OpIload0,             // 0
		classfile.OpLookupswitch, 0, 0, // 1, padded to 4
		0, 0, 0, 31, // default: 32
		0, 0, 0, 2,
		0, 0, 0, 7, 0, 0, 0, 27, // 7: 28
		0, 0, 0, 9, 0, 0, 0, 27, // 9: 28
		classfile.OpWide, classfile.OpIinc, uint16(0), int16(1000), // 28
	)
	code = append(code, ops(
		classfile.OpWide, classfile.OpIload, uint16(0), // 34
		classfile.OpIreturn)...) // 38
	code[7] = 33 // default: 34
	m := build(t, p, assembly{"(I)I", 1, 1, code, nil})
	expectText(t, m, `
m(I)I
b0 [0,28) b2 b1
  v1 = param 0
  switch v1
b1 [28,34) b2
  v3 = iinc 1000 v1
b2 [34,39)
  v4 = phi v1 v3
  return v4
`)
}

func TestDeadCode(t *testing.T) {
	p := newPool(t)
	m := build(t, p, assembly{"()V", 1, 0, ops(
		classfile.OpReturn,
		classfile.OpPop, classfile.OpPop, // would underflow
		classfile.OpInvokestatic, p.callA,
	), nil})
	if len(m.Blocks) != 1 || len(m.Instrs) != 2 {
		t.Errorf("dead code was lowered\n%s", m)
	}
}

// Class names may hold parentheses (JVMS 4.2.2).
func TestParenthesisInDescriptor(t *testing.T) {
	p := newPool(t)
	i, err := p.class.Pool.AddMethodref("T", "odd", "(I(La)b;)La)b;")
	if err == nil {
		var b Builder
		_, err = b.Build(p.class, p.add(t,
			assembly{"(I)V", 2, 1, ops(classfile.OpInvokestatic, i, classfile.OpPop, classfile.OpReturn), nil}))
	}
	if err == nil {
		t.Error("a parenthesis outside of a class name was accepted")
	}
	if i, err = p.class.Pool.AddMethodref("T", "even", "(ILa)b;)La)b;"); err != nil {
		t.Fatal(err)
	}
	m := build(t, p, assembly{"(ILa)b;)La)b;", 2, 2,
		ops(classfile.OpIload0, classfile.OpAload1, classfile.OpInvokestatic, i, classfile.OpAreturn), nil})
	expectText(t, m, `
m(ILa)b;)La)b;
b0 [0,6)
  v1 = param 0
  v2 = param 1
  v3 = invokestatic T.even v1 v2
  return v3
`)
	for _, v := range []Value{2, 3} {
		if name, _ := m.Type(v); name != "a)b" {
			t.Errorf("type %q", name)
		}
	}
}

func TestMalformed(t *testing.T) {
	p := newPool(t)
	for _, c := range []struct {
		want string // part of the error
		a    assembly
	}{
		{"stack of 0 slots", assembly{"()V", 1, 0, ops(classfile.OpPop, classfile.OpReturn), nil}},
		{"stack overflows", assembly{"()V", 1, 0, ops(classfile.OpIconst0, classfile.OpIconst0, classfile.OpReturn),
			nil}},
		{"local variable 0 of 0", assembly{"()V", 1, 0, ops(classfile.OpIload0, classfile.OpReturn), nil}},
		{"local variable 0 of 1", assembly{"()V", 2, 1, ops(classfile.OpLload0, classfile.OpLreturn), nil}},
		{"falls off", assembly{"()V", 1, 0, ops(classfile.OpNop), nil}},
		{"falls off", assembly{"(I)V", 1, 1, ops(classfile.OpIload0, classfile.OpIfeq, int16(-1)), nil}},
		{"into an instruction", assembly{"()V", 1, 0, ops(classfile.OpGoto, int16(1)), nil}},
		{"outside", assembly{"()V", 1, 0, ops(classfile.OpRet, 0), nil}},
		{"cut short", assembly{"()V", 1, 0, ops(classfile.OpInvokestatic, 0), nil}},
		{"illegal opcode", assembly{"()V", 1, 0, []byte{0xfe}, nil}},
		{"heights 1 and 0", assembly{"(I)V", 2, 1, ops(
			classfile.OpIload0, classfile.OpIload0, // 0
			classfile.OpIfeq, int16(4), // 2
			classfile.OpPop,    // 5
			classfile.OpReturn, // 6
		), nil}},
		{"no field", assembly{"()V", 1, 0, ops(classfile.OpGetstatic, p.callA, classfile.OpReturn), nil}},
		{"no such method", assembly{"()V", 1, 0, ops(classfile.OpInvokestatic, p.ioe, classfile.OpReturn), nil}},
		{"with tag", assembly{"()V", 1, 0, ops(classfile.OpLdcW, p.callA, classfile.OpReturn), nil}},
		{"descriptor", assembly{"(X)V", 1, 0, ops(classfile.OpReturn), nil}},
		{"into an instruction", assembly{"()V", 1, 0, ops(classfile.OpInvokestatic, p.callA, classfile.OpReturn),
			[]classfile.ExceptionEntry{{StartPC: 1, EndPC: 3, HandlerPC: 3}}}},
		{"needs a stack", assembly{"()V", 0, 0,
			ops(classfile.OpInvokestatic, p.callA, classfile.OpReturn, classfile.OpReturn),
			[]classfile.ExceptionEntry{{StartPC: 0, EndPC: 3, HandlerPC: 4}}}},
	} {
		var b Builder
		m, err := b.Build(p.class, p.add(t, c.a))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "T.m") {
			t.Errorf("%v, want an error with %q\n%v", err, c.want, m)
		}
	}
}

// The verifier must see what is wrong: each case breaks one invariant of a
// correct method.
func TestVerifyRejects(t *testing.T) {
	p := newPool(t)
	for _, c := range []struct {
		want  string
		spoil func(m *Method)
	}{
		{"not defined on all paths", func(m *Method) { m.operands[m.Instrs[9].args] = 5 }},
		{"operands for", func(m *Method) { m.Instrs[7].NArgs-- }},
		{"undefined", func(m *Method) { m.operands[m.Instrs[9].args] = Undef }},
		{"has no value", func(m *Method) { m.operands[m.Instrs[9].args] = 2 }},
		{"lacks an edge", func(m *Method) {
			m.Blocks[1].handlers.n = 0
			m.Blocks[4].preds.n--
			m.Blocks[4].preds.at++
			m.Instrs[7].NArgs--
		}},
		{"Throws is", func(m *Method) { m.Blocks[1].Throws = false }},
		{"successors", func(m *Method) { m.Blocks[0].succs.n = 0 }},
		{"predecessors", func(m *Method) { m.Blocks[2].succs.at = m.Blocks[0].succs.at }},
		{"out of place", func(m *Method) { m.Instrs[8], m.Instrs[7] = m.Instrs[7], m.Instrs[8] }},
		{"outside of blocks", func(m *Method) { m.Instrs = append(m.Instrs, m.Instrs[1]) }},
		{"covered by", func(m *Method) { m.Blocks[1].Cover = 0 }},
		{"is a int, not a ref", func(m *Method) { m.Instrs[9].Op = OpThrow; m.Instrs[9].Code = classfile.OpAthrow }},
	} {
		m := build(t, p, assembly{"()I", 1, 1, ops( // the method of TestHandlerSeesVariablesBeforeThrow
			classfile.OpIconst1, classfile.OpIstore0,
			classfile.OpInvokestatic, p.callA,
			classfile.OpIconst2, classfile.OpIstore0,
			classfile.OpInvokestatic, p.callB,
			classfile.OpIconst3, classfile.OpIstore0,
			classfile.OpIload0, classfile.OpIreturn,
			classfile.OpPop,
			classfile.OpIload0, classfile.OpIreturn,
		), []classfile.ExceptionEntry{{StartPC: 2, EndPC: 12, HandlerPC: 14}}})
		c.spoil(m)
		if err := Verify(m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}

func FuzzBuild(f *testing.F) {
	p := newPool(f)
	f.Add(finallyBySubroutine(p).code, uint16(1), uint16(2), uint16(0), uint16(3), uint16(7))
	f.Add(ops(classfile.OpIinc, 0, -1, classfile.OpIload0, classfile.OpIfne, int16(-4), classfile.OpReturn),
		uint16(1), uint16(1), uint16(0), uint16(3), uint16(7))
	f.Add(ops(classfile.OpIload0, classfile.OpTableswitch, 0, 0, 0, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 27, 0, 0,
		0, 27, classfile.OpReturn),
		uint16(1), uint16(1), uint16(0), uint16(1), uint16(0))
	f.Fuzz(func(t *testing.T, code []byte, stack, locals, start, end, handler uint16) {
		if len(code) == 0 || len(code) > 4096 {
			return
		}
		p := newPool(t)
		a := assembly{"(ILjava/lang/String;J)I", stack, locals, code, nil}
		if start < end && int(end) <= len(code) && int(handler) < len(code) {
			a.table = append(a.table, classfile.ExceptionEntry{StartPC: start, EndPC: end, HandlerPC: handler})
		}
		var b Builder
		m, err := b.Build(p.class, p.add(t, a))
		if err != nil {
			return
		}
		// Code that no verifier has seen may use undefined values and values of
		// the wrong kind; everything else must hold.
		if err := Verify(m); err != nil && !strings.Contains(err.Error(), "operand") {
			t.Errorf("%v in\n%s", err, m)
		}
		for v := range m.Instrs {
			if m.Instrs[v].Kind == Ref {
				m.Type(Value(v))
				m.Origins(Value(v), Value(v), nil, nil)
			}
		}
		_ = m.String()
	})
}

// Thousands of branches to and fro over hundreds of variables that all change:
// too much is refused at once, a part of it is lowered in time.
func TestManyVariablesMeet(t *testing.T) {
	for _, c := range []struct {
		branches int
		refused  bool
	}{{500, false}, {8000, true}} {
		p := newPool(t)
		var code []byte
		random := uint32(1)
		next := func(n int) int {
			random = random*1664525 + 1013904223
			return int(random>>8) % n
		}
		for i := range c.branches {
			target := max(0, min(c.branches-1, i-2000+next(4000)))
			code = append(code, ops(classfile.OpIinc, next(250), 1, classfile.OpIload, next(250),
				classfile.OpIfeq, int16((target-i)*8-5))...)
		}
		code = append(code, byte(classfile.OpReturn))
		var b Builder
		m, err := b.Build(p.class, p.add(t, assembly{"(" + strings.Repeat("I", 250) + ")V", 1, 250, code, nil}))
		if c.refused != (err != nil) {
			t.Errorf("%d branches: %v", c.branches, err)
		}
		if err == nil {
			err = Verify(m)
		}
		if err != nil && !c.refused {
			t.Error(err)
		}
	}
}
