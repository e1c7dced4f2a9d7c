package pointsto

// This file lets fields hold what frameworks put there: see package callgraph.

import (
	"catchlens/analysis/features"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// fill lets a field of a class hold what a framework puts there, if one does.
func (s *solver) fill(f Field, class hierarchy.TypeID, name, desc string) {
	c := s.h.Facts(class)
	for i := 0; c != nil && i < len(c.Fields); i++ {
		x := &c.Fields[i]
		if x.Marks == "" || x.Name != name || x.Desc != desc {
			continue
		}
		v := s.filling(features.FillingOf(c.Name, x, s.contexts.workspace[c.Name]), c.Name, desc)
		switch {
		case v == 0:
		case x.Static:
			s.Flow(v, s.staticVar(f), noFilter)
		default:
			s.Watch(s.AnyOf(s.filterClass(class)), solve.UseStore, v, int32(f))
		}
	}
}

// filling is a variable that points to what a framework puts into a field of a type; 0 for nothing.
func (s *solver) filling(with features.Filling, class, desc string) int32 {
	filter := s.filterDesc(desc)
	v := s.NewVar()
	switch with {
	case features.WithAny:
		s.Flow(s.given(filter), v, noFilter)
	case features.WithMocks:
		s.Flow(s.lent.any, v, filter)
	case features.WithNew:
		if desc[0] == 'L' {
			t := s.h.Load(desc[1:len(desc)-1], class)
			s.reflectConstructors(t, class)
			if s.h.Instantiable(t) {
				s.Flow(s.single(s.h.Name(t)), v, noFilter)
			}
			s.Flow(s.lent.any, v, filter) // of an abstract class
		}
	case features.WithDefault:
		if unix := "sun/nio/fs/UnixPath"; desc == "Ljava/nio/file/Path;" && s.h.Present(unix) {
			filter = s.filterClass(s.h.Load(unix, ""))
		}
		s.Flow(s.AnyOf(filter), v, noFilter)
		if desc == "Ljava/io/File;" {
			s.Flow(s.single("java/io/File"), v, noFilter)
		}
	default:
		return 0
	}
	return v
}
