package snapshot

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catchlens/analysis/facts"
)

// This file tells which of the JDK's settings (facts.Settings) a workspace may set. The
// others are taken to be what they are where nobody sets them.

// optionVariables are what a JVM reads options from.
var optionVariables = []string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"}

// settings are the properties that the workspace may set: in the test settings of a module,
// its own environment, the JDK's configuration, or by code of its classes that
// passes the name to some method.
func (s *Snapshot) settings() facts.PropertySet {
	var options []string
	properties := map[string]bool{}
	for _, m := range s.Workspace.Modules {
		options = append(options, m.Test.JVMArgs...)
		for _, v := range optionVariables {
			options = append(options, strings.Fields(m.Test.Environment[v])...)
		}
		for p := range m.Test.SystemProperties {
			properties[p] = true
		}
	}
	for _, v := range optionVariables {
		options = append(options, strings.Fields(os.Getenv(v))...)
	}
	if jdk := s.program.libs.jdk; jdk != nil {
		options = append(options, netProperties(jdk.Home)...)
	}
	passed := s.passedStrings()
	return facts.SetOf(func(p string) bool {
		return properties[p] || passed[p] || slices.ContainsFunc(options, func(o string) bool { return maySet(o, p) })
	})
}

// maySet tells whether an option of the JVM may set a property: a -D, or one that names a
// file of options.
func maySet(option, property string) bool {
	option = strings.Trim(option, `"'`)
	if strings.HasPrefix(option, "@") || strings.HasPrefix(option, "-XX:Flags=") || strings.HasPrefix(option, "-XX:VMOptionsFile=") {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(option, "-D"), "=")
	return strings.HasPrefix(option, "-D") && strings.Trim(name, `"'`) == property
}

// netProperties are the settings of the JDK's network configuration, as options. The default
// is none that is of interest here.
func netProperties(home string) (out []string) {
	for _, dir := range []string{"conf", "lib", filepath.Join("jre", "lib")} {
		data, err := os.ReadFile(filepath.Join(home, dir, "net.properties"))
		if err != nil {
			continue // of another version of the JDK
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if end := strings.IndexAny(line, "=: \t"); line != "" && line[0] != '#' && line[0] != '!' {
				if end < 0 {
					end = len(line)
				}
				out = append(out, "-D"+line[:end])
			}
		}
	}
	return out
}

// passedStrings are the names of properties that code of the workspace passes to methods.
func (s *Snapshot) passedStrings() map[string]bool {
	out := map[string]bool{}
	for _, set := range facts.Settings {
		out[set.Property] = false
	}
	for _, c := range s.program.classes {
		for i := range c.Facts.Methods {
			for _, call := range c.Facts.Methods[i].Calls {
				for _, a := range call.Args {
					if _, known := out[a.Value]; known && a.Kind == facts.StringConst {
						out[a.Value] = true
					}
				}
			}
		}
	}
	return out
}

// readSettings reads classes anew where settings are not what they were taken to be.
func (s *Snapshot) readSettings() {
	libs := s.program.libs
	set := s.settings()
	if set == libs.options.Set {
		return
	}
	libs.options.Set = set
	libs.open()
	s.program.classes = nil
	s.readClasses(libs)
}
