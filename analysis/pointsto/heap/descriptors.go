package heap

// This file reads descriptors (JVMS 4.3).

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// RefParams counts the references among a descriptor's parameters and tells
// whether it returns one.
func RefParams(desc string) (n int, ref bool) {
	i := 1
	for i < len(desc) && desc[i] != ')' {
		switch desc[i] {
		case 'L':
			n++
			i += strings.IndexByte(desc[i:], ';')
		case '[':
			n++
			for i+1 < len(desc) && desc[i] == '[' {
				i++
			}
			if desc[i] == 'L' {
				i += strings.IndexByte(desc[i:], ';')
			}
		}
		i++
	}
	return n, i+1 < len(desc) && (desc[i+1] == 'L' || desc[i+1] == '[')
}

// KindsOf gives a letter for each parameter of a descriptor and, last, for its
// result: L for a reference, else the descriptor's own.
func (s *Heap) KindsOf(desc string) string {
	if k, ok := s.kinds[desc]; ok {
		return k
	}
	var out []byte
	for i := 1; i < len(desc); i++ {
		if desc[i] == ')' {
			continue
		}
		c := desc[i]
		for i < len(desc) && desc[i] == '[' {
			c = 'L'
			i++
		}
		if i < len(desc) && desc[i] == 'L' {
			c = 'L'
			end := strings.IndexByte(desc[i:], ';')
			if end < 0 {
				break
			}
			i += end
		}
		out = append(out, c)
	}
	s.kinds[desc] = string(out)
	return string(out)
}

// ParamFilters lists the filters of a descriptor's reference parameters.
func (s *Heap) ParamFilters(desc string) []int32 {
	var out []int32
	for _, p := range classfile.Parameters(desc) {
		if p[0] == '[' || p[0] == 'L' {
			out = append(out, s.FilterDesc(p))
		}
	}
	return out
}

// ResultFilter is the filter of a descriptor's result.
func (s *Heap) ResultFilter(desc string) int32 {
	result := classfile.Result(desc)
	if result == "" {
		return solve.NoFilter
	}
	return s.FilterDesc(result)
}
