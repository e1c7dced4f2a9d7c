package callgraph

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
)

// This file says what fields hold that a framework fills, which no code in class files writes: test
// frameworks, mocking libraries and containers write the fields that their annotations mark.

// fill makes the objects that frameworks make for fields of a class.
func (b *builder) fill(class *facts.Class) {
	for i := range class.Fields {
		if f := &class.Fields[i]; features.FillingOf(class.Name, f, false) == features.WithNew && f.Desc[0] == 'L' {
			b.reflectConstructors(b.load(f.Desc[1:len(f.Desc)-1], class.Name), class.Name)
		}
	}
}
