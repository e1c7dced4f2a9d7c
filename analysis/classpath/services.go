package classpath

import (
	"errors"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// servicesFolder holds the provider-configuration files of ServiceLoader.
const servicesFolder = "META-INF/services/"

// readServices reads provider-configuration files and the module descriptor of
// a folder or jar. What can be read is returned beside the error.
func readServices(files []string, read func(string) ([]byte, bool, error)) (map[string][]string, error) {
	services := map[string][]string{}
	var errs []error
	for _, file := range files {
		service := strings.TrimPrefix(file, servicesFolder)
		if service == "" || strings.ContainsRune(service, '/') {
			continue
		}
		b, ok, err := read(file)
		if err != nil {
			errs = append(errs, err)
		}
		if !ok {
			continue
		}
		service = classfile.InternalName(service)
		services[service] = appendNew(services[service], parseProviders(string(b))...)
	}
	b, ok, err := read("module-info.class")
	if ok {
		var m *classfile.Module
		if m, err = parseModule(b); m != nil {
			for _, p := range m.Provides {
				services[p.Service] = appendNew(services[p.Service], p.With...)
			}
		}
	}
	return services, errors.Join(append(errs, err)...)
}

func parseModule(b []byte) (*classfile.Module, error) {
	c, err := classfile.Parse(b)
	if err != nil {
		return nil, err
	}
	return c.Module()
}

// parseProviders reads the lines of a provider-configuration file: a binary
// name each, and comments from '#' on.
func parseProviders(text string) []string {
	var names []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			names = append(names, classfile.InternalName(line))
		}
	}
	return names
}

// manifest parses the main section of a manifest: names in lower case.
func manifest(text string) map[string]string {
	main := map[string]string{}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = strings.ReplaceAll(text, "\n ", "") // continuation lines
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok {
			main[strings.ToLower(name)] = strings.TrimSpace(value)
		}
	}
	return main
}
