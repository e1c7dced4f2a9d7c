package plan

import (
	"math"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// Opcodes of the code below.
const (
	iload0, iload1 = 0x1a, 0x1b
	aconstNull     = 0x01
	athrow, ret    = 0xbf, 0xb1
	ifeq, ifne     = 0x99, 0x9a
	lookup         = 0xab
)

func TestGuardsOf(t *testing.T) {
	for _, x := range []struct {
		name string
		code []byte
		pc   int32
		want []Guard
	}{
		{"if (a) throw", []byte{iload0, ifeq, 0, 5, aconstNull, athrow, ret}, 5, []Guard{{PC: 1, Jump: false}}},
		{"if (!a) return; throw", []byte{iload0, ifeq, 0, 4, ret, aconstNull, athrow}, 6, []Guard{{PC: 1, Jump: true}}},
		{"if (a || b) throw", []byte{iload0, ifne, 0, 7, iload1, ifeq, 0, 5, aconstNull, athrow, ret}, 9,
			[]Guard{{PC: 1, Jump: true}, {PC: 5, Jump: false}}},
		// Only the second decides: with it the other way the throw runs, with the first need not.
		{"if (a && b) throw", []byte{iload0, ifeq, 0, 9, iload1, ifeq, 0, 5, aconstNull, athrow, ret}, 9,
			[]Guard{{PC: 5, Jump: false}}},
		{"throw", []byte{aconstNull, athrow}, 1, nil},
		{"while (a); throw", []byte{iload0, ifne, 0xff, 0xff, aconstNull, athrow}, 5, []Guard{{PC: 1, Jump: false}}},
		{"switch (a) {case 7: throw}", []byte{iload0, lookup, 0, 0, 0, 0, 0, 21, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 19,
			aconstNull, athrow, ret}, 21,
			[]Guard{{PC: 1, Value: 7}}},
		{"switch (a) {default: throw}", []byte{iload0, lookup, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0,
			21, aconstNull, athrow, ret}, 21,
			[]Guard{{PC: 1, Value: math.MinInt32 + 1}}},
	} {
		got, err := GuardsOf(x.code, x.pc)
		if err != nil || !slices.Equal(got, x.want) {
			t.Errorf("%s: %+v, want %+v (%v)", x.name, got, x.want, err)
		}
	}
	if _, err := GuardsOf([]byte{byte(classfile.OpIfeq), 0}, 0); err == nil {
		t.Error("code that is cut short has guards")
	}
}
