package maven

// This file decides which profiles of a pom are active.

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/mavenversion"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// builtProject is the project that is built, which conditions of profiles ask, those of its parents
// as well. One of the repository has no folder, and nothing is known of its files.
type builtProject struct{ dir, packaging string }

// activeProfiles lists the profiles of one pom that count: those chosen by
// name, those whose conditions all hold, and those active by default when no
// other of the same pom is.
func (c *reader) activeProfiles(r *rawModel, of builtProject) []profile {
	var active, byDefault []profile
	for _, p := range r.profiles {
		chosen, named := c.profiles[p.id]
		switch {
		case named && chosen:
			active = append(active, p)
		case named:
		case c.conditionsHold(of, p.activation):
			active = append(active, p)
		case p.activation.TextAt("activeByDefault") == "true":
			byDefault = append(byDefault, p)
		}
	}
	if len(active) == 0 {
		return byDefault
	}
	return active
}

func (c *reader) conditionsHold(of builtProject, a *xmltree.Node) bool {
	found := false
	for _, k := range a.KidsAt() {
		var ok bool
		switch k.Name {
		case "jdk":
			ok = jdkMatches(c.jdk, k.Text)
		case "os":
			ok = osMatches(k)
		case "property":
			ok = c.propertyMatches(of, k)
		case "file":
			ok = c.fileMatches(of.dir, k)
		default:
			continue
		}
		if !ok {
			return false
		}
		found = true
	}
	return found
}

// jdkMatches knows "11" (prefix), "!1.8", and ranges "[11,)".
func jdkMatches(version, spec string) bool {
	if version == "" || spec == "" {
		return false
	}
	if neg, ok := strings.CutPrefix(spec, "!"); ok {
		return !jdkMatches(version, neg)
	}
	if strings.ContainsAny(spec[:1], "[(") {
		if ends := strings.Split(spec, ","); len(ends) > 2 {
			spec = ends[0] + "," + ends[1] // Maven reads one interval
		}
		r, err := mavenversion.ParseRange(spec)
		v := strings.FieldsFunc(version, func(r rune) bool { return r == '_' || r == '-' || r == '+' })
		return err == nil && len(v) > 0 && r.Contains(v[0])
	}
	return version == spec || strings.HasPrefix(version, spec)
}

func osMatches(k *xmltree.Node) bool {
	check := func(spec string, have func(string) bool) bool {
		if spec == "" {
			return true
		}
		if neg, ok := strings.CutPrefix(spec, "!"); ok {
			return !have(strings.ToLower(neg))
		}
		return have(strings.ToLower(spec))
	}
	goos := runtime.GOOS
	family := func(f string) bool {
		switch f {
		case "windows", "winnt":
			return goos == "windows"
		case "mac", "os/x":
			return goos == "darwin"
		case "unix":
			return goos != "windows"
		}
		return f == strings.ToLower(javaOSName(goos))
	}
	return check(k.TextAt("family"), family) &&
		check(k.TextAt("name"), func(n string) bool { return n == strings.ToLower(javaOSName(goos)) }) &&
		check(k.TextAt("arch"), func(a string) bool { return a == javaOSArch(goos, runtime.GOARCH) }) &&
		k.TextAt("version") == ""
}

func (c *reader) propertyMatches(of builtProject, k *xmltree.Node) bool {
	name, want := k.TextAt("name"), k.TextAt("value")
	neg := strings.HasPrefix(name, "!")
	name = strings.TrimPrefix(name, "!")
	have, ok := c.userProps[name]
	if !ok {
		have, ok = c.sysProps[name]
	}
	if env, isEnv := strings.CutPrefix(name, "env."); isEnv && c.env != nil {
		have = c.env(env)
		ok = have != ""
	}
	if name == "packaging" && !ok {
		have, ok = of.packaging, true
	}
	if want == "" {
		return (ok && have != "") != neg
	}
	// Maven asks for the value even if the name is negated.
	if w, not := strings.CutPrefix(want, "!"); not {
		return have != w
	}
	return ok && have == want
}

func (c *reader) fileMatches(dir string, k *xmltree.Node) bool {
	i := &interpolator{ctx: c, props: map[string]string{}, dir: dir}
	at := func(s string) bool {
		_, err := os.Stat(filetree.Abs(dir, i.expand(s)))
		return err == nil
	}
	known := func(s string) bool { // where that is
		return dir != "" || !strings.Contains(s, "basedir}") && filepath.IsAbs(i.expand(s))
	}
	if f := k.TextAt("exists"); f != "" {
		return known(f) && at(f)
	}
	if f := k.TextAt("missing"); f != "" {
		return known(f) && !at(f)
	}
	return false
}
