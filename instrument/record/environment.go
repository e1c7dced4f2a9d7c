package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
)

// environmentParts are what an environment's digest is made of, in the order of its parts.
var environmentParts = []string{"the JDK", "a library", "a resource", "the test settings"}

// Environment is the digest of everything outside the workspace's own code that
// the outcome of a module's tests depends on (DESIGN D6): the JDK, the
// libraries and the resources by content, and the test settings. It has a part for each of
// environmentParts, so that what differs can be told (EnvironmentChanges). Digests of files are
// looked up in d; nil: in those of this process.
func Environment(m *workspace.Module, d *classpath.DigestCache) string {
	place := newFolders(m)
	parts := make([]string, len(environmentParts))
	for n, write := range []func(h io.Writer){
		func(h io.Writer) {
			fmt.Fprintln(h, m.JDKVersion)
			hashJDK(h, m.JDKHome)
		},
		func(h io.Writer) { hashLibraries(h, m, d) },
		func(h io.Writer) {
			for _, dir := range m.ResourceDirs() {
				hashFolder(h, dir, place)
			}
			hashOutputs(h, m, d)
		},
		func(h io.Writer) { hashSettings(h, m, place) },
	} {
		h := sha256.New()
		fmt.Fprintln(h, "4") // 4: the files on the class path count
		write(h)
		parts[n] = hex.EncodeToString(h.Sum(nil)[:8])
	}
	return strings.Join(parts, ".")
}

// EnvironmentChanges names what differs between the environments of two records: "the JDK", "a
// library"; nothing where that is not known, as of records of an earlier version.
func EnvironmentChanges(was, is string) (changed []string) {
	old, present := strings.Split(was, "."), strings.Split(is, ".")
	if len(old) != len(environmentParts) || len(present) != len(environmentParts) {
		return nil
	}
	for n, part := range environmentParts {
		if old[n] != present[n] {
			changed = append(changed, part)
		}
	}
	return changed
}

// hashSettings digests the test settings, and the descriptors of the Java module where tests run in
// one.
func hashSettings(h io.Writer, m *workspace.Module, place folders) {
	test := m.Test
	test.AdditionalClassPath = nil
	for _, p := range m.Test.AdditionalClassPath {
		if p = cmp.Or(m.StandsFor[p], p); !slices.Contains(test.AdditionalClassPath, p) {
			test.AdditionalClassPath = append(test.AdditionalClassPath, p)
		}
	}
	if test.ModulePath != "" {
		for _, dir := range slices.Concat(m.TestOutputs, m.MainOutputs) {
			hashDescriptor(h, dir)
		}
	}
	for _, file := range test.SuiteInputs {
		content, _ := bounded.Read(file, bounded.Text) // one that is not there is an empty one
		fmt.Fprintf(h, "%s\n%x\n", place.without(file), sha256.Sum256(content))
	}
	settings, _ := json.Marshal(test)
	io.WriteString(h, place.without(string(settings)))
}

// hashOutputs digests the files in the class folders that tests see which are no classes, whoever
// has put them there: copies of resources, what the build filtered, what it generates. Which of the
// folders has a file does not count, as our own stand in the place of the build's.
func hashOutputs(h io.Writer, m *workspace.Module, d *classpath.DigestCache) {
	seen := map[string]bool{}
	for _, dir := range slices.Concat(m.TestOutputs, m.MainOutputs, m.TestClassPath, m.Test.AdditionalClassPath) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, ".class") {
				return nil
			}
			rel, err := filepath.Rel(dir, path)
			info, ierr := e.Info()
			if err != nil || ierr != nil {
				return nil
			}
			content := fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			if info.Size() <= maxHashed {
				if digest, err := d.File(path); err == nil {
					content = digest
				}
			}
			seen[filepath.ToSlash(rel)+" "+content] = true
			return nil
		})
	}
	for _, file := range slices.Sorted(maps.Keys(seen)) {
		fmt.Fprintln(h, file)
	}
}

// hashDescriptor digests what the module-info.class of a class folder says, whoever has compiled
// it.
func hashDescriptor(h io.Writer, dir string) {
	m, err := classpath.ModuleOf(dir, 0)
	if err != nil || m == nil {
		fmt.Fprintln(h, "no module")
		return
	}
	d := *m.Module
	d.Version, d.Requires = "", slices.Clone(d.Requires)
	for i := range d.Requires {
		d.Requires[i].Version = ""
	}
	fmt.Fprintf(h, "%+v\n", d)
}

// ClassPathKey is the digest of the JDK and of the libraries of a module: what
// was observed with others says nothing of it.
func ClassPathKey(m *workspace.Module, d *classpath.DigestCache) string {
	h := sha256.New()
	fmt.Fprintln(h, "classpath 2", m.JDKVersion)
	hashJDK(h, m.JDKHome)
	hashLibraries(h, m, d)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// hashJDK digests what tells JDKs apart: their release file, and the size of their classes.
func hashJDK(h io.Writer, home string) {
	text, err := bounded.Read(filepath.Join(home, "release"), bounded.Text)
	if err != nil {
		fmt.Fprintln(h, home)
	}
	h.Write(text)
	for _, classes := range []string{"lib/modules", "jre/lib/rt.jar", "lib/rt.jar"} {
		if info, err := os.Stat(filepath.Join(home, filepath.FromSlash(classes))); err == nil {
			fmt.Fprintln(h, classes, info.Size())
		}
	}
}

// hashLibraries digests the libraries of a module by their order, names and content, and
// the folders on its class path, which other modules make, by where they stand from it: a
// folder of our own classes, as after an edit, by where the build's stands.
func hashLibraries(h io.Writer, m *workspace.Module, d *classpath.DigestCache) {
	place := newFolders(m)
	seen := map[string]bool{}
	for _, p := range m.TestClassPath {
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			if digest, err := d.File(p); err == nil {
				fmt.Fprintln(h, filepath.Base(p), digest)
				continue
			}
		}
		p = cmp.Or(m.StandsFor[p], p)
		if !seen[p] {
			fmt.Fprintln(h, place.without(p))
		}
		seen[p] = true
	}
}

// maxHashed bounds what is hashed of one resource; of a larger one the size and
// time count.
const maxHashed = 4 << 20

func hashFolder(h io.Writer, dir string, place folders) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		fmt.Fprintln(h, place.without(path), info.Size())
		if info.Size() > maxHashed {
			fmt.Fprintln(h, info.ModTime().UnixNano())
			return nil
		}
		if f, _, err := bounded.Open(path, maxHashed); err == nil {
			io.Copy(h, f)
			f.Close()
		}
		return nil
	})
}

// folders are the folders that differ between machines: of the module, of its build files,
// and the user's home.
type folders []folder

type folder struct{ path, name string }

func newFolders(m *workspace.Module) (all folders) {
	add := func(path, name string) {
		if path != "" && path != filepath.Dir(path) &&
			!slices.ContainsFunc(all, func(p folder) bool { return p.path == path }) {
			all = append(all, folder{path, name})
		}
	}
	add(m.Dir, "{module}")
	for _, f := range m.BuildFiles {
		dir := filepath.Dir(f)
		if rel, err := filepath.Rel(m.Dir, dir); err == nil {
			add(dir, "{module}/"+filepath.ToSlash(rel))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		add(home, "{home}")
	}
	slices.SortStableFunc(all, func(a, b folder) int { return cmp.Compare(len(b.path), len(a.path)) })
	return all
}

// without is a text in which these folders have names instead of paths, where they stand
// as a whole or as the beginning of a path.
func (all folders) without(text string) string {
	for _, p := range all {
		var out strings.Builder
		rest := text
		for {
			before, after, found := strings.Cut(rest, p.path)
			out.WriteString(before)
			if !found {
				break
			}
			if after == "" || !strings.ContainsAny(after[:1],
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") {
				out.WriteString(p.name)
			} else {
				out.WriteString(p.path)
			}
			rest = after
		}
		text = out.String()
	}
	return text
}
