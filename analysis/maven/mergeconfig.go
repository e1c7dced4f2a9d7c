package maven

import (
	"maps"

	"github.com/catchlens/catchlens/internal/xmltree"
)

// mergeConfig merges plug-in configurations as Maven does: the dominant tree
// wins, combine.children="append" of either appends, combine.self="override" cuts off.
// Attributes are inherited, too, before combine.children is looked at. Neither argument is changed.
func mergeConfig(dominant, recessive *xmltree.Node) *xmltree.Node {
	if dominant == nil {
		return recessive.Clone()
	}
	if recessive == nil || dominant.Attrs["combine.self"] == "override" {
		return dominant.Clone()
	}
	out := *dominant
	if out.Text == "" && len(dominant.Kids) == 0 {
		out.Text = recessive.Text
	}
	out.Kids, out.Attrs = nil, maps.Clone(recessive.Attrs)
	if out.Attrs == nil {
		out.Attrs = map[string]string{}
	}
	for k, v := range dominant.Attrs {
		if v != "" {
			out.Attrs[k] = v
		}
	}
	if out.Attrs["combine.children"] == "append" {
		for _, k := range recessive.Kids {
			out.Kids = append(out.Kids, k.Clone())
		}
		for _, k := range dominant.Kids {
			out.Kids = append(out.Kids, k.Clone())
		}
		return &out
	}
	used := map[string]int{} // recessive children seen of each name
	partner := map[*xmltree.Node]*xmltree.Node{}
	var extra []*xmltree.Node
	for _, r := range recessive.Kids {
		var same []*xmltree.Node
		for _, d := range dominant.Kids {
			if d.Name == r.Name {
				same = append(same, d)
			}
		}
		switch i := used[r.Name]; {
		case len(same) == 0:
			extra = append(extra, r.Clone())
		case i < len(same):
			partner[same[i]] = r
		}
		used[r.Name]++
	}
	for _, d := range dominant.Kids {
		if d.Attrs["combine.self"] == "remove" {
			continue
		}
		out.Kids = append(out.Kids, mergeConfig(d, partner[d]))
	}
	out.Kids = append(out.Kids, extra...)
	return &out
}
