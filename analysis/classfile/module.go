package classfile

// This file reads the Module attribute (JVMS 4.7.25) of module-info classes.

// Module is a module declaration. Names of packages have slashes.
type Module struct {
	Name     string
	Flags    uint16
	Version  string // "" when none
	Requires []ModuleRequires
	Exports  []ModuleExports
	Opens    []ModuleExports
	Uses     []string // service classes, internal names
	Provides []ModuleProvides
}

// ModuleRequires is a dependence on a module.
type ModuleRequires struct {
	Name    string
	Flags   uint16
	Version string
}

// ModuleExports is an exported or opened package; To is empty when everyone
// may use it.
type ModuleExports struct {
	Package string
	Flags   uint16
	To      []string
}

// ModuleProvides names the implementations of a service in the order in which
// ServiceLoader tries them.
type ModuleProvides struct {
	Service string
	With    []string
}

// Module returns the module declaration, nil when c is not module-info.
func (c *Class) Module() (*Module, error) {
	r, ok := c.classAttr("Module")
	if !ok {
		return nil, nil
	}
	m := &Module{Name: r.str(c.Pool.ModuleName(r.u2())), Flags: r.u2()}
	m.Version = r.optional(r.u2(), c.Pool.Utf8)
	for n := r.u2(); n > 0 && r.err == nil; n-- {
		q := ModuleRequires{Name: r.str(c.Pool.ModuleName(r.u2())), Flags: r.u2()}
		q.Version = r.optional(r.u2(), c.Pool.Utf8)
		m.Requires = append(m.Requires, q)
	}
	m.Exports = c.moduleExports(r)
	m.Opens = c.moduleExports(r)
	if r.err == nil {
		m.Uses = r.classNames(c.Pool)
	}
	for n := r.u2(); n > 0 && r.err == nil; n-- {
		p := ModuleProvides{Service: r.className(c.Pool, r.u2())}
		p.With = r.classNames(c.Pool)
		m.Provides = append(m.Provides, p)
	}
	return m, r.end()
}

func (c *Class) moduleExports(r *cursor) []ModuleExports {
	var out []ModuleExports
	for n := r.u2(); n > 0 && r.err == nil; n-- {
		e := ModuleExports{Package: r.str(c.Pool.PackageName(r.u2())), Flags: r.u2()}
		for _, i := range r.u2s() {
			e.To = append(e.To, r.str(c.Pool.ModuleName(i)))
		}
		out = append(out, e)
	}
	return out
}
