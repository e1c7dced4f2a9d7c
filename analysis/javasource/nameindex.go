package javasource

// A nameIndex finds the types and the imports of a file by their simple names, so that a text of
// many types or imports is not searched for each name.
type nameIndex struct {
	file     *File
	tops     map[string]*Type     // types with none around, or the class of a compact source file
	members  map[memberType]*Type // types that a type has inside
	imported map[string][]string  // the qualified names of single-type imports
}

// A memberType is a type's name and the type around it.
type memberType struct {
	outer *Type
	name  string
}

func newNameIndex(f *File) *nameIndex {
	x := &nameIndex{file: f, tops: map[string]*Type{}, members: map[memberType]*Type{}, imported: map[string][]string{}}
	for _, t := range f.Types {
		if (t.Outer == nil || t.Outer.Kind == Implicit) && x.tops[t.Name] == nil {
			x.tops[t.Name] = t
		}
		for _, y := range t.Types {
			if k := (memberType{t, y.Name}); y.Kind != EnumConstant && x.members[k] == nil {
				x.members[k] = y
			}
		}
	}
	for _, im := range f.Imports {
		if !im.OnDemand && !im.Module {
			name := simpleName(im.Name)
			x.imported[name] = append(x.imported[name], im.Name)
		}
	}
	return x
}

// visible finds the type of the file that a simple name means inside a type; nil: there is none.
func (x *nameIndex) visible(name string, in *Type) *Type {
	for t := in; t != nil; t = t.Outer {
		if t.Name == name && t.Kind != EnumConstant {
			return t
		}
		if y := x.members[memberType{t, name}]; y != nil {
			return y
		}
	}
	return x.tops[name]
}
