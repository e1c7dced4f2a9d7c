package chains

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/analysis/classpath"
	laidout "github.com/catchlens/catchlens/bench/projects"
)

// This file makes what runs, and runs it.

// tools are the Java programs of this folder, and the tests.
type tools struct {
	dir, jdk string
	java     string // their sources
	mauve    string // what fetch.sh has laid out
	patched  string // what takes the place of classes of java.base
	classes  []string
}

// exports are packages of java.base that the tools use.
var exports = []string{"--add-exports", "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED",
	"--add-exports", "java.base/recorded=ALL-UNNAMED"}

// newTools compiles the tools.
func newTools(ctx context.Context, dir string) (*tools, error) {
	t := &tools{dir: dir, jdk: *jdk, java: filepath.Join("bench", "chains", "java"),
		patched: filepath.Join(dir, "patched")}
	if t.jdk == "" {
		javac, err := exec.LookPath("javac")
		if err == nil {
			javac, err = filepath.EvalSymlinks(javac)
		}
		if err != nil {
			return nil, err
		}
		t.jdk = filepath.Dir(filepath.Dir(javac))
	}
	root, err := laidout.Root()
	if err != nil {
		return nil, err
	}
	if t.mauve = filepath.Join(root, "mauve"); !laidout.Complete(t.mauve) {
		return nil, fmt.Errorf("%s is not there: run bench/chains/fetch.sh", t.mauve)
	}
	opened, err := classpath.OpenJDK(t.jdk, classpath.Options{})
	if err != nil {
		return nil, err
	}
	err = opened.Entry().Each(func(name string) error {
		if strings.HasPrefix(name, "java/") || strings.HasPrefix(name, "sun/text/") {
			t.classes = append(t.classes, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, t.compile(ctx, filepath.Join(t.mauve, "classes"), "Run.java", "Enhanced.java", "MakeMain.java")
}

// compile compiles what every rewritten class calls, what rewrites, and other files.
func (t *tools) compile(ctx context.Context, classPath string, files ...string) error {
	if _, err := runTool(ctx, t.tool("javac"), "-nowarn", "--patch-module", "java.base="+t.java, "-d", t.patched,
		filepath.Join(t.java, "recorded", "Stacks.java")); err != nil {
		return err
	}
	args := append([]string{"-nowarn", "--patch-module", "java.base=" + t.patched, "-cp", classPath, "-d", t.made(),
		filepath.Join(t.java, "Rewrite.java")}, exports...)
	for _, f := range files {
		args = append(args, filepath.Join(t.java, f))
	}
	_, err := runTool(ctx, t.tool("javac"), args...)
	return err
}

// rewrite writes classes that tell when a method begins to a folder, from those on a class path.
func (t *tools) rewrite(ctx context.Context, classPath, to string, classes []string) error {
	args := append([]string{"-cp", t.made() + string(os.PathListSeparator) + classPath}, exports[:2]...)
	_, err := runTool(ctx, t.tool("java"), append(append(args, "Rewrite", to), classes...)...)
	return err
}

// keep moves rewritten classes to where matchers read them.
func keep(from, to string, classes []string) error {
	for _, name := range classes {
		if err := os.Rename(filepath.Join(from, name+".class"), rewrittenFile(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// rewrittenFile is where a matcher reads a rewritten class.
func rewrittenFile(dir, class string) string {
	return filepath.Join(dir, strings.ReplaceAll(class, "/", ".")+".class")
}

func (t *tools) tool(name string) string { return filepath.Join(t.jdk, "bin", name) }
func (t *tools) made() string            { return filepath.Join(t.dir, "tools") }

// runs are the chains that ran, as lines of Stacks.write.
type runs struct{ tests, main, abstracted []string }

// run makes the artificial main method of a component, in a folder that is a workspace afterwards,
// and runs it and the tests. What ran in the folder before is not run again.
func (t *tools) run(ctx context.Context, c *component, dir string) (*runs, error) {
	if out, err := readRuns(dir); err == nil {
		return out, nil
	}
	files, names, err := t.testsOf(c)
	if err != nil {
		return nil, err
	}
	src, classes := filepath.Join(dir, "src", "artificial", "Main.java"), filepath.Join(dir, "classes")
	err = errors.Join(os.MkdirAll(filepath.Dir(src), 0o755), os.MkdirAll(classes, 0o755),
		os.WriteFile(filepath.Join(dir, "catchlens.toml"), fmt.Appendf(nil,
			"build = \"plain\"\njdk = %q\nsources = [\"src\"]\noutputs = [\"classes\"]\n", t.jdk), 0o644))
	if err != nil {
		return nil, err
	}
	java := append([]string{"-cp", t.made()}, exports[:2]...)
	n, err := runTool(ctx, t.tool("java"), append(append(java, "MakeMain", src, c.made,
		filepath.Join("bench", "chains", "texts", c.name+".txt")), files...)...)
	if err != nil {
		return nil, err
	}
	if _, err := runTool(ctx, t.tool("javac"), "-nowarn", "-g", "-d", classes, src); err != nil {
		return nil, err
	}
	var rewritten []string
	for _, name := range t.classes {
		if c.has(name) {
			rewritten = append(rewritten, name)
		}
	}
	if err := t.rewrite(ctx, "", t.patched, rewritten); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d classes, %d test classes, main calls %s methods\n", c.name, len(rewritten),
		len(files), strings.TrimSpace(n))
	for _, run := range [...][]string{append([]string{"tests"}, names...), {"main", fmt.Sprint(*steps), c.name},
		{"abstracted", fmt.Sprint(*steps), c.name}} {
		args := append([]string{"-Xmx512m", "--patch-module", "java.base=" + t.patched}, exports[2:]...)
		args = append(args, "-cp", strings.Join([]string{t.made(), filepath.Join(t.mauve, "classes"), classes},
			string(os.PathListSeparator)), "Run", chainsFile(dir, run[0]), strings.Join(c.classes, ","),
			filepath.Join(t.mauve, "src"))
		if _, err := runTool(ctx, t.tool("java"), append(args, run...)...); err != nil {
			return nil, err
		}
	}
	if err := keep(t.patched, dir, rewritten); err != nil { // the next component is rewritten alone
		return nil, err
	}
	return readRuns(dir)
}

func chainsFile(dir, run string) string { return filepath.Join(dir, run+".chains") }

// readRuns reads the chains of all runs.
func readRuns(dir string) (*runs, error) {
	out := &runs{}
	for name, to := range map[string]*[]string{"tests": &out.tests, "main": &out.main, "abstracted": &out.abstracted} {
		text, err := os.ReadFile(chainsFile(dir, name))
		if err != nil {
			return nil, err
		}
		*to = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	}
	return out, nil
}

// testsOf lists the class files of the tests of a component, and their classes.
func (t *tools) testsOf(c *component) (files, names []string, err error) {
	root := filepath.Join(t.mauve, "classes")
	for _, p := range c.tests {
		dir := filepath.Join(root, "gnu", "testlet", filepath.FromSlash(strings.ReplaceAll(p, ".", "/")))
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if name, ok := strings.CutSuffix(path, ".class"); err == nil && ok {
				files = append(files, path)
				name, err = filepath.Rel(root, name)
				names = append(names, strings.ReplaceAll(filepath.ToSlash(name), "/", "."))
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, names, nil
}
