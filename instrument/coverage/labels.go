package coverage

import (
	"fmt"
	"slices"
	"strings"
	"text/scanner"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file names the ways out of branches: by the condition in the source, where it is certain
// which one that is, else by the line that the way leads to.
//
// Compilers emit the conditions of a line in the order of its text, one branch for each operand of
// && and ||. So the branches of a line are the conditions of its if, while and for heads, if there
// are as many, if nothing else on the line may branch, and if the instruction of each is one that
// its operator becomes. The instruction, and no custom of a compiler, tells which way is true.

// Jump is what is known of a branch beside which ways of it were taken.
type Jump struct {
	Op classfile.Opcode
	To []int // the line that each way leads to, 0 where it has none; in the order of the Branch
}

// jump is that of the i-th instruction.
func (m *Method) jump(i int, hide []uint8) (j Jump) {
	in := &m.instructions[i]
	j.Op = in.Op
	for n := range m.Nodes {
		if node := &m.Nodes[n]; int(node.From) == in.PC && m.isWay(node, hide) {
			j.To = append(j.To, m.lineAt(int(node.PC)))
		}
	}
	return j
}

// lineAt is the line of what stands at a pc, behind gotos.
func (m *Method) lineAt(pc int) int {
	at := m.indexOf(pc)
	for range m.instructions { // a goto may lead to itself
		if at >= len(m.instructions) {
			return 0
		}
		if !m.instructions[at].Op.IsGoto() {
			break
		}
		at = m.indexOf(m.instructions[at].Target)
	}
	return m.instructions[at].line
}

// BranchOutcome is a way out of a branch of a line.
type BranchOutcome struct {
	Branch int // which of the line's
	Taken  bool
	// Condition is that of the source, "" where it is not certain which one it is; Is is what it is
	// on this way, and Start and End are where it stands in the line, in bytes.
	Condition  string
	Is         bool
	Start, End int
	To         int // the line that the way leads to, 0 where it has none
}

// Label names the way; line is that of the branch, and to the one that the way leads to, in the
// text that the reader sees.
func (w *BranchOutcome) Label(line, to int) string {
	switch {
	case w.Condition != "":
		return fmt.Sprintf("%s: %v", w.Condition, w.Is)
	case to == 0:
		return "a way"
	case to == line:
		return "on this line"
	}
	return fmt.Sprint("to line ", to)
}

// Labels names the ways of all branches of a line, in their order; text is the line in the source,
// "" if that is not known.
func (l *Line) Labels(text string) (labels []string) {
	for _, w := range l.Outcomes(text) {
		labels = append(labels, w.Label(l.Number, w.To))
	}
	return labels
}

// Outcomes are those of all branches of a line, in their order; text is as for Labels.
func (l *Line) Outcomes(text string) (ways []BranchOutcome) {
	conditions := l.conditions(text)
	for i, j := range l.Jumps {
		for n, to := range j.To {
			w := BranchOutcome{Branch: i, Taken: l.Branches[i][n], To: to}
			if conditions != nil {
				c := conditions[i]
				jump, _ := c.jumpsIf(j.Op)
				w.Condition, w.Is, w.Start, w.End = c.text, jump == (n == 1), c.start, c.start+len(c.text)
			}
			ways = append(ways, w)
		}
	}
	return ways
}

// conditions are those that the branches of the line ask, one each; nil if that is not certain.
func (l *Line) conditions(text string) []condition {
	all, ok := conditionsOf(text)
	if !ok || len(all) != len(l.Jumps) {
		return nil
	}
	for i, c := range all {
		if _, ok := c.jumpsIf(l.Jumps[i].Op); !ok || len(l.Jumps[i].To) != 2 {
			return nil
		}
	}
	return all
}

// condition is an operand of && and ||, or a whole condition; operator compares, or is "".
type condition struct {
	text, operator string
	start          int // where the text begins in the line, in bytes
}

// jumpOf has, for operators, the instructions that jump where the comparison holds, and those that
// jump where it does not. Without an operator it is a boolean.
var jumpOf = map[string][2][]classfile.Opcode{
	"==": {{classfile.OpIfeq, classfile.OpIfIcmpeq, classfile.OpIfAcmpeq, classfile.OpIfnull},
		{classfile.OpIfne, classfile.OpIfIcmpne, classfile.OpIfAcmpne, classfile.OpIfnonnull}},
	"!=": {{classfile.OpIfne, classfile.OpIfIcmpne, classfile.OpIfAcmpne, classfile.OpIfnonnull},
		{classfile.OpIfeq, classfile.OpIfIcmpeq, classfile.OpIfAcmpeq, classfile.OpIfnull}},
	"<":  {{classfile.OpIflt, classfile.OpIfIcmplt}, {classfile.OpIfge, classfile.OpIfIcmpge}},
	">=": {{classfile.OpIfge, classfile.OpIfIcmpge}, {classfile.OpIflt, classfile.OpIfIcmplt}},
	">":  {{classfile.OpIfgt, classfile.OpIfIcmpgt}, {classfile.OpIfle, classfile.OpIfIcmple}},
	"<=": {{classfile.OpIfle, classfile.OpIfIcmple}, {classfile.OpIfgt, classfile.OpIfIcmpgt}},
	"":   {{classfile.OpIfne}, {classfile.OpIfeq}},
}

// jumpsIf tells whether an instruction jumps if the condition is true; ok is false if it is none
// that the condition becomes.
func (c condition) jumpsIf(op classfile.Opcode) (truth, ok bool) {
	is := jumpOf[c.operator]
	truth = slices.Contains(is[0], op)
	return truth, truth || slices.Contains(is[1], op)
}

// token is one of a line of source.
type token struct {
	text  string
	start int
}

// operators of two characters: the scanner gives them apart.
var operators = []string{"&&", "||", "==", "!=", "<=", ">=", "->", "::", "<<", ">>", "++", "--", "+=", "-=", "*=",
	"/=", "|=", "&=", "^=", "%="}

// tokensOf reads a line; ok is false for what is not Java, as half of a text block.
func tokensOf(line string) (all []token, ok bool) {
	var s scanner.Scanner
	s.Init(strings.NewReader(line))
	s.Mode = scanner.GoTokens
	ok = true
	s.Error = func(*scanner.Scanner, string) { ok = false }
	for s.Scan() != scanner.EOF {
		t := token{s.TokenText(), s.Position.Offset}
		if n := len(all) - 1; n >= 0 && all[n].start+len(all[n].text) == t.start &&
			slices.Contains(operators, all[n].text+t.text) {
			all[n].text += t.text
			continue
		}
		all = append(all, t)
	}
	return all, ok
}

// branching are tokens that may make a branch, or hide one, where no head of an if or a loop has
// them.
var branching = map[string]bool{"&&": true, "||": true, "!": true, "==": true, "!=": true, "<": true, ">": true,
	"<=": true, ">=": true, "instanceof": true}

// unread are tokens of which no line is read.
var unread = map[string]bool{"?": true, "->": true, "switch": true, "case": true, "assert": true, "do": true,
	"::": true}

// conditionsOf lists the conditions of the heads on a line, in their order. ok is false if anything
// else on it may branch, or a head does not end on it.
func conditionsOf(line string) (all []condition, ok bool) {
	tokens, ok := tokensOf(line)
	if !ok || slices.ContainsFunc(tokens, func(t token) bool { return unread[t.text] }) {
		return nil, false
	}
	for i := 0; i < len(tokens); i++ {
		switch tokens[i].text {
		case "if", "while", "for":
			end := closing(tokens, i+1)
			if end < 0 {
				return nil, false
			}
			head := tokens[i+2 : end]
			if tokens[i].text == "for" {
				if head, ok = middle(head); !ok {
					return nil, false
				}
			}
			if all, ok = operands(line, head, all); !ok {
				return nil, false
			}
			i = end
		default:
			if branching[tokens[i].text] {
				return nil, false
			}
		}
	}
	return all, len(all) > 0
}

// closing is the index of the bracket that closes the one at an index; -1: there is none.
func closing(tokens []token, open int) int {
	if open >= len(tokens) || tokens[open].text != "(" {
		return -1
	}
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// middle is the condition of the head of a for; ok is false where it has none, or another part may
// branch.
func middle(head []token) (condition []token, ok bool) {
	var semicolons []int
	for i, t := range head {
		if t.text == ";" {
			semicolons = append(semicolons, i)
		}
	}
	if len(semicolons) != 2 || semicolons[0]+1 == semicolons[1] {
		return nil, false
	}
	for i, t := range head {
		if branching[t.text] && (i < semicolons[0] || i > semicolons[1]) {
			return nil, false
		}
	}
	return head[semicolons[0]+1 : semicolons[1]], true
}

// operands adds the operands of a condition.
func operands(line string, tokens []token, to []condition) ([]condition, bool) {
	for len(tokens) > 0 && tokens[0].text == "!" && (len(tokens) == 2 || closing(tokens, 1) == len(tokens)-1) {
		tokens = tokens[1:] // what is negated is asked as it is
	}
	if len(tokens) > 0 && closing(tokens, 0) == len(tokens)-1 {
		return operands(line, tokens[1:len(tokens)-1], to)
	}
	depth, from, parts := 0, 0, 0
	ok := true
	for i, t := range tokens {
		switch t.text {
		case "(":
			depth++
		case ")":
			depth--
		case "&&", "||":
			if depth == 0 {
				if to, ok = operands(line, tokens[from:i], to); !ok {
					return nil, false
				}
				from, parts = i+1, parts+1
			}
		}
	}
	if parts > 0 {
		return operands(line, tokens[from:], to)
	}
	return operand(line, tokens, to)
}

// operand adds a condition without && and ||; ok is false if more than one branch may come of it.
func operand(line string, tokens []token, to []condition) ([]condition, bool) {
	if len(tokens) > 0 && tokens[0].text == "!" {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return nil, false
	}
	last := tokens[len(tokens)-1]
	c := condition{text: line[tokens[0].start : last.start+len(last.text)], start: tokens[0].start}
	for i, t := range tokens {
		if !branching[t.text] {
			continue
		}
		depth := 0
		for _, before := range tokens[:i] {
			switch before.text {
			case "(":
				depth++
			case ")":
				depth--
			}
		}
		if depth > 0 || c.operator != "" || t.text == "!" {
			return nil, false
		}
		c.operator = t.text
	}
	if c.operator == "instanceof" {
		c.operator = ""
	}
	return append(to, c), true
}
