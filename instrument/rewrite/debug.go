package rewrite

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file moves the pcs in the attributes of Code.

// emitDebug returns the attributes of Code with their pcs moved. Attributes of
// unknown meaning, and StackMapTable, which is replaced afterwards, stay as
// they are. firstEntry maps exception table indices.
func (e *editor) emitDebug(firstEntry []int) ([]classfile.Attribute, error) {
	out := make([]classfile.Attribute, len(e.code.Attributes))
	for i, a := range e.code.Attributes {
		name := e.class.AttrName(a)
		var err error
		switch name {
		case "LineNumberTable":
			a.Info, err = e.movedTable(a.Info, 4, false)
		case "LocalVariableTable", "LocalVariableTypeTable":
			a.Info, err = e.movedTable(a.Info, 10, true)
		case "RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations":
			a.Info, err = e.movedAnnotations(a.Info, firstEntry)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[i] = a
	}
	return out, nil
}

// positionOf is where the code of an original pc begins, insertions included.
// A pc inside an instruction counts as that instruction's.
func (e *editor) positionOf(pc int) int32 {
	for pc > 0 && e.at[pc] < 0 {
		pc--
	}
	return e.basePos(e.at[pc])
}

// movedTable moves a table of rows that begin with a start pc and, with
// lengths, the length of the range (JVMS 4.7.12 to 4.7.14).
func (e *editor) movedTable(info []byte, row int, lengths bool) ([]byte, error) {
	if len(info) < 2 || len(info) != 2+row*int(be.Uint16(info)) {
		return nil, fmt.Errorf("%d bytes are no table of rows of %d", len(info), row)
	}
	out := append([]byte(nil), info...)
	for at := 2; at < len(out); at += row {
		if err := e.moveRange(out[at:], lengths); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// moveRange moves a start pc in place, and the length behind it.
func (e *editor) moveRange(b []byte, length bool) error {
	start := int(be.Uint16(b))
	end := start
	if length {
		end += int(be.Uint16(b[2:]))
	}
	if end > len(e.code.Bytecode) {
		return fmt.Errorf("range [%d, %d) in code of %d bytes", start, end, len(e.code.Bytecode))
	}
	from := e.positionOf(start)
	be.PutUint16(b, uint16(from))
	if length {
		be.PutUint16(b[2:], uint16(e.positionOf(end)-from))
	}
	return nil
}

// movedAnnotations moves the targets of type annotations in code (JVMS
// 4.7.20.1). Javac writes some with offsets outside the code: these stay.
func (e *editor) movedAnnotations(info []byte, firstEntry []int) ([]byte, error) {
	out := append([]byte(nil), info...)
	w := annotationWalker{b: out}
	for range w.u2() {
		e.moveTarget(&w, firstEntry)
		w.skip(2 * w.u1()) // target_path
		w.annotation(0)
		if w.bad {
			break
		}
	}
	if w.bad || len(w.b) > 0 {
		return nil, fmt.Errorf("malformed")
	}
	return out, nil
}

func (e *editor) moveTarget(w *annotationWalker, firstEntry []int) {
	switch kind := w.u1(); {
	case kind == 0x40 || kind == 0x41: // localvar_target
		for range w.u2() {
			row := w.skip(6)
			if len(row) == 6 && int(be.Uint16(row))+int(be.Uint16(row[2:])) <= len(e.code.Bytecode) {
				_ = e.moveRange(row, true) // it fails on ranges outside the code only
			}
		}
	case kind == 0x42: // catch_target
		if b := w.skip(2); len(b) == 2 && int(be.Uint16(b)) < len(firstEntry) {
			be.PutUint16(b, uint16(firstEntry[be.Uint16(b)]))
		}
	case kind >= 0x43 && kind <= 0x4b: // offset_target, type_argument_target
		if b := w.skip(2); len(b) == 2 && int(be.Uint16(b)) < len(e.code.Bytecode) {
			if at := e.at[be.Uint16(b)]; at >= 0 {
				be.PutUint16(b, uint16(e.insns[at].pos))
			}
		}
		if kind >= 0x47 {
			w.skip(1)
		}
	default: // the other kinds do not occur in Code
		w.bad = true
	}
}

// annotationWalker walks over annotations (JVMS 4.7.16) without decoding them.
type annotationWalker struct {
	b   []byte
	bad bool
}

func (w *annotationWalker) skip(n int) []byte {
	if w.bad || n > len(w.b) {
		w.bad = true
		return nil
	}
	b := w.b[:n]
	w.b = w.b[n:]
	return b
}

func (w *annotationWalker) u1() int {
	if b := w.skip(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (w *annotationWalker) u2() int {
	if b := w.skip(2); b != nil {
		return int(be.Uint16(b))
	}
	return 0
}

// maxNesting bounds the recursion on hostile annotations.
const maxNesting = 100

func (w *annotationWalker) annotation(depth int) {
	w.skip(2) // type
	for range w.u2() {
		w.skip(2) // element name
		w.value(depth)
		if w.bad {
			return
		}
	}
}

func (w *annotationWalker) value(depth int) {
	if depth > maxNesting {
		w.bad = true
		return
	}
	switch w.u1() {
	case 'e':
		w.skip(4)
	case '@':
		w.annotation(depth + 1)
	case '[':
		for range w.u2() {
			w.value(depth + 1)
			if w.bad {
				return
			}
		}
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z', 's', 'c':
		w.skip(2)
	default:
		w.bad = true
	}
}
