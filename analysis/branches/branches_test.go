package branches

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
	"github.com/catchlens/catchlens/internal/testfiles"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// many is a class whose methods of(int) give a variable one of some numbers, and call hit where it
// is another one; as many methods as there are counts.
func many(counts ...int) string {
	var b strings.Builder
	b.WriteString("class Many {\n static void hit() { }\n")
	for _, n := range counts {
		fmt.Fprintf(&b, " static void of%d(int n) {\n  int x;\n  switch (n) {\n", n)
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "   case %d: x = %d; break;\n", i, 100*i)
		}
		fmt.Fprintf(&b, "   default: x = %d;\n  }\n  if (x == 7) hit();\n }\n", 100*n)
	}
	return b.String() + "}\n"
}

// A value that may be one of several numbers is none of the others; one that may be of more than
// maxNumbers is not known.
func TestNumbersOfSeveralBlocks(t *testing.T) {
	counts := []int{2, maxNumbers, maxNumbers + 1}
	dir := testfiles.Files{"Many.java": many(counts...)}.In(t, t.TempDir())
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, dir, filepath.Join(dir, "Many.java"))
	data, err := os.ReadFile(filepath.Join(dir, "Many.class"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range counts {
		low, err := new(ir.Builder).Build(c, c.FindMethod(fmt.Sprintf("of%d", n), "(I)V"))
		if err != nil {
			t.Fatal(err)
		}
		f := Follower{Low: low, Known: func(v ir.Value) (Numbers, bool) {
			in := &low.Instrs[v]
			return Numbers{List: []int64{int64(in.Aux)}}, in.Op == ir.OpConst
		}}
		f.Follow()
		calls := slices.IndexFunc(low.Instrs, func(in ir.Instr) bool { return in.Op == ir.OpInvoke })
		if got, want := f.Seen[low.BlockOf(ir.Value(calls))], n > maxNumbers; got != want {
			t.Errorf("of %d numbers: control comes to the call: %v, want %v", n, got, want)
		}
	}
}
