package campaign

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catchlens/analysis/classpath"
	"catchlens/analysis/workspace"
)

// This file makes the digests of what results depend on beside the workspace's code. They
// are the same wherever the workspace, its libraries and the JDK stand, so that machines
// can share results.

// Environment is the digest of everything outside the workspace's own code that
// the outcome of a module's tests depends on (DESIGN D6): the JDK, the
// libraries and the resources by content, and the test settings. Digests of files are
// looked up in d; nil: in those of this process.
func Environment(m *workspace.Module, d *classpath.DigestCache) string {
	h := sha256.New()
	place := newFolders(m)
	fmt.Fprintln(h, "3", m.JDKVersion) // 3: tests have their class folders in the working copy
	hashJDK(h, m.JDKHome)
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
	settings, _ := json.Marshal(test)
	io.WriteString(h, place.without(string(settings)))
	hashLibraries(h, m, d)
	for _, dir := range append(append([]string(nil), m.Resources...), m.TestResources...) {
		hashFolder(h, dir, place)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// hashDescriptor digests what the module-info.class of a class folder says, whoever has compiled it.
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
	text, err := os.ReadFile(filepath.Join(home, "release"))
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
		if f, err := os.Open(path); err == nil {
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
		if path != "" && path != filepath.Dir(path) && !slices.ContainsFunc(all, func(p folder) bool { return p.path == path }) {
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
			if after == "" || !strings.ContainsAny(after[:1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") {
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
