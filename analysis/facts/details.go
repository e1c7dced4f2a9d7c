package facts

// This file reads and makes what few methods have. Readers ask the method, which need not
// have any of it.

// noCovers is Method.Covers of the many methods without protected sites: never written to.
var noCovers = [][]uint16{nil}

// noDetails are those of the many methods without any: never written to.
var noDetails MethodDetails

// details are those of a method, for reading.
func (m *Method) details() *MethodDetails {
	if m.Details == nil {
		return &noDetails
	}
	return m.Details
}

// Declared are the exceptions of the Exceptions attribute.
func (m *Method) Declared() []string { return m.details().Declared }

// Annotations are the type names of runtime-visible annotations.
func (m *Method) Annotations() []string { return m.details().Annotations }

// Handlers are the handlers of the exception table, in the order in which it first names them.
func (m *Method) Handlers() []Handler { return m.details().Handlers }

// Table is the exception table, in class file order.
func (m *Method) Table() []TableEntry { return m.details().Table }

// Covers are the lists of table entries that sites refer to: see MethodDetails. The first is
// always there, and empty.
func (m *Method) Covers() [][]uint16 {
	if d := m.details(); d.Covers != nil {
		return d.Covers
	}
	return noCovers
}

// Throws are the athrow instructions.
func (m *Method) Throws() []Throw { return m.details().Throws }

// Handles are the method handles loaded by ldc.
func (m *Method) Handles() []Handle { return m.details().Handles }

// Classes are the class constants of annotations, then those of the code: see ClassConstants.
func (m *Method) Classes() []string { return m.details().Classes }

// Noted is how many of Classes are in annotations.
func (m *Method) Noted() int { return m.details().Noted }

// Implicit are the instructions that may throw by themselves, with Options.Implicit.
func (m *Method) Implicit() []Implicit { return m.details().Implicit }

// Strings are what the strings of Flow are: see MethodDetails.
func (m *Method) Strings() []string { return m.details().Strings }

// orNil are the details, nil where there is none.
func (d *MethodDetails) orNil() *MethodDetails {
	if len(d.Declared) == 0 && len(d.Annotations) == 0 && len(d.Handlers) == 0 && len(d.Table) == 0 &&
		len(d.Covers) == 0 &&
		len(d.Throws) == 0 && len(d.Handles) == 0 && len(d.Classes) == 0 && len(d.Implicit) == 0 &&
		len(d.Strings) == 0 {
		return nil
	}
	return d
}
