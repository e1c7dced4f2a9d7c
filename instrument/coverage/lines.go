package coverage

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// Line is what is known of a line.
type Line struct {
	Number                int
	Instructions, Covered int // counts; copies of one instruction count as one
	Branches              []Branch
	Jumps                 []Jump // one for each of Branches
	Left                  int    // how many tests left it in the middle, at least (OfRuns)
	// Stale: what is missed of the line may not be. Tests ran its method as it was before an edit,
	// or tests that are not current came further here (OfRuns).
	Stale bool
}

// Branch is an if, a loop's condition or a switch: whether each of its ways was taken, that behind
// it first, then the others in the order of the code.
type Branch []bool

// Taken is how many ways were.
func (b Branch) Taken() (n int) {
	for _, is := range b {
		if is {
			n++
		}
	}
	return n
}

// Lines returns what is known of the lines of a method, ascending, from which of its nodes were
// covered (Covered). What the compiler added is left out, and copies that it made of code are one.
func (m *Method) Lines(covered []bool) []Line {
	hide, copyOf := m.filter()
	hit := make([]bool, len(m.instructions))
	for i := range m.instructions {
		if n := m.node[i]; n >= 0 && covered[n] {
			hit[copyOf[i]] = true
		}
	}
	ways := m.branchesTaken(covered, hide)
	byNumber := map[int]*Line{}
	for i := range m.instructions {
		in := &m.instructions[i]
		if in.line == 0 || m.node[i] < 0 || copyOf[i] != i || hide[i] >= hidden {
			continue
		}
		l := byNumber[in.line]
		if l == nil {
			l = &Line{Number: in.line}
			byNumber[in.line] = l
		}
		l.Instructions++
		if hit[i] {
			l.Covered++
		}
		if hide[i] == 0 && len(ways[i]) > 1 {
			l.Branches = append(l.Branches, m.union(i, ways, copyOf))
			l.Jumps = append(l.Jumps, m.jump(i, hide))
		}
	}
	lines := make([]Line, 0, len(byNumber))
	for _, l := range byNumber {
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Number, b.Number) })
	return lines
}

// branchesTaken are, for each instruction that branches, which of its ways were taken.
func (m *Method) branchesTaken(covered []bool, hide []uint8) map[int]Branch {
	at := map[int32]int{}
	for i := range m.instructions {
		at[int32(m.instructions[i].PC)] = i
	}
	ways := map[int]Branch{}
	for n := range m.Nodes {
		if node := &m.Nodes[n]; m.isWay(node, hide) {
			i := at[node.From]
			ways[i] = append(ways[i], covered[n])
		}
	}
	return ways
}

// isWay tells whether a node is a way out of a branch that is shown.
func (m *Method) isWay(n *Node, hide []uint8) bool {
	return n.Branch() && hide[m.indexOf(int(n.PC))] != noWay
}

// union is what was taken of a branch, in whichever of its copies.
func (m *Method) union(i int, ways map[int]Branch, copyOf []int) Branch {
	all := slices.Clone(ways[i])
	for k, of := range copyOf {
		if of == i && k != i && len(ways[k]) == len(all) {
			for w, is := range ways[k] {
				all[w] = all[w] || is
			}
		}
	}
	return all
}

// Hides tells whether the compiler made a method, and none of it is shown.
func (c *Class) Hides(method int) bool {
	m := c.Class.Methods[method]
	name, desc := c.MemberName(m), c.MemberDesc(m)
	switch {
	case c.Access&classfile.AccSynthetic != 0:
		return true
	case m.Access&classfile.AccBridge != 0:
		return true
	case m.Access&classfile.AccSynthetic != 0:
		return len(name) < len(lambdaPrefix) || name[:len(lambdaPrefix)] != lambdaPrefix
	case c.Access&classfile.AccEnum != 0 && m.Access&classfile.AccStatic != 0:
		return name == "values" && desc == "()["+classfile.ClassDescriptor(c.Name()) ||
			name == "valueOf" && desc == "(Ljava/lang/String;)"+classfile.ClassDescriptor(c.Name())
	}
	components, isRecord, err := c.Record()
	return err == nil && isRecord && c.ofRecord(method, name, desc, components)
}

// lambdaPrefix begins the names of methods that have the code of lambdas.
const lambdaPrefix = "lambda$"

// ofRecord tells whether a method is one that the compiler gives a record.
func (c *Class) ofRecord(method int, name, desc string, components []classfile.RecordComponent) bool {
	m := c.Methods[method]
	if m == nil {
		return false
	}
	ins := m.instructions
	switch name + desc {
	case "toString()Ljava/lang/String;", "hashCode()I", "equals(Ljava/lang/Object;)Z":
		return slices.ContainsFunc(ins, func(in instruction) bool { return in.Op == classfile.OpInvokedynamic }) &&
			len(ins) <= 4
	}
	if len(ins) != 3 || ins[1].Op != classfile.OpGetfield || !ins[2].Op.IsReturn() {
		return false
	}
	f, err := c.Pool.MemberRef(uint16(ins[1].Index))
	return err == nil && f.Name == name && desc == "()"+f.Desc &&
		slices.ContainsFunc(components, func(x classfile.RecordComponent) bool { return x.Name == name })
}
