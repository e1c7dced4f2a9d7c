package model

// This file lets fields hold what frameworks put there: see package callgraph.

import (
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// fill lets a field of a class hold what a framework puts there, if one does.
func (s *Model) fill(f solve.Field, class hierarchy.TypeID, name, desc string) {
	c := s.H.Facts(class)
	for i := 0; c != nil && i < len(c.Fields); i++ {
		x := &c.Fields[i]
		if x.Marks == "" || x.Name != name || x.Desc != desc {
			continue
		}
		v := s.filling(features.FillingOf(c.Name, x, s.Workspace[c.Name]), c.Name, desc)
		switch {
		case v == 0:
		case x.Static:
			s.Flow(v, s.StaticVar(f), solve.NoFilter)
		default:
			s.Watch(s.AnyOf(s.FilterClass(class)), solve.UseStore, v, int32(f))
		}
	}
}

// filling is a variable that points to what a framework puts into a field of a type; 0 for nothing.
func (s *Model) filling(with features.Filling, class, desc string) int32 {
	filter := s.FilterDesc(desc)
	v := s.NewVar()
	switch with {
	case features.WithAny:
		s.Flow(s.Given(filter), v, solve.NoFilter)
	case features.WithMocks:
		s.Flow(s.lent.any, v, filter)
	case features.WithNew:
		if desc[0] == 'L' {
			t := s.H.Load(desc[1:len(desc)-1], class)
			s.ReflectConstructors(t, class)
			if s.H.Instantiable(t) {
				s.Flow(s.Single(s.H.Name(t)), v, solve.NoFilter)
			}
			s.Flow(s.lent.any, v, filter) // of an abstract class
		}
	case features.WithDefault:
		if unix := "sun/nio/fs/UnixPath"; desc == "Ljava/nio/file/Path;" && s.H.Present(unix) {
			filter = s.FilterClass(s.H.Load(unix, ""))
		}
		s.Flow(s.AnyOf(filter), v, solve.NoFilter)
		if desc == "Ljava/io/File;" {
			s.Flow(s.Single("java/io/File"), v, solve.NoFilter)
		}
	default:
		return 0
	}
	return v
}
