package features

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// A generated class that tells nothing changes nothing that is known of generated classes, and each
// that changes something tells it.
func TestTells(t *testing.T) {
	classes := map[string]*facts.Class{
		"p/Api":  {Name: "p/Api", Access: classfile.AccInterface},
		"p/Mark": {Name: "p/Mark", Access: classfile.AccInterface | hierarchy.AccAnnotation},
		"p/Main": {Name: "p/Main"},
	}
	src := hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		c, ok := classes[name]
		return c, ok
	})
	for _, c := range []struct {
		super      string
		interfaces []string
		tells      bool
	}{
		{ProxyClass, []string{"p/Api"}, true},
		{ProxyClass, []string{"p/Mark"}, false},
		{ProxyClass, []string{"q/Nowhere"}, false},
		{ProxyClass, []string{"q/Nowhere", "p/Api"}, true},
		{ProxyClass, nil, false},
		{"p/Main", nil, true},
		{"q/Nowhere", nil, true},
	} {
		f := &facts.Class{Name: "g/Generated", Super: c.super, Interfaces: c.interfaces}
		if got := Tells(src, f); got != c.tells {
			t.Errorf("%s, %q: %v", c.super, c.interfaces, got)
		}
		classes[f.Name] = f
		g := NewGenerated(src, []string{f.Name}, nil)
		if known := len(g.Roots) + len(g.Proxies); (known > 0) != c.tells {
			t.Errorf("%s, %q: %d are known", c.super, c.interfaces, known)
		}
	}
}
