package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"

	"github.com/catchlens/catchlens/bench/rss"
)

// This file makes the input that all analyses get, and runs processes.

// input is a project with a main method that calls its tests.
type input struct {
	name    string
	dir     string   // what is made for it
	driver  string   // classes of the driver: the program
	path    []string // class path of the project and its tests: libraries
	tests   []string // binary names of the classes of the tests
	entries int      // calls in the driver
}

const mainClass = "peerbench.Main"

// prepare compiles the driver of a project and lays out a workspace that holds it.
func prepare(ctx context.Context, name, dir string) (*input, error) {
	project := filepath.Join(*projects, name)
	classes, tests := filepath.Join(project, "target", "classes"), filepath.Join(project, "target", "test-classes")
	if _, err := os.Stat(tests); err != nil {
		return nil, fmt.Errorf("%s is not there: run bench/projects/fetch.sh", project)
	}
	libraries, err := filepath.Glob(filepath.Join(project, "lib", "*.jar"))
	if err != nil {
		return nil, err
	}
	in := &input{name: name, dir: dir, driver: filepath.Join(dir, "driver"),
		path: append([]string{classes, tests}, libraries...)}
	if in.tests, err = classesIn(tests); err != nil {
		return nil, err
	}
	src := filepath.Join(dir, "src")
	if err := errors.Join(os.RemoveAll(in.driver), os.RemoveAll(src), os.MkdirAll(in.driver, 0o755)); err != nil {
		return nil, err
	}
	maker, err := source("bench/peers/java/MakeDriver.java")
	if err != nil {
		return nil, err
	}
	text, err := tool(ctx, "java", "-cp", in.classPath(), maker, tests, src)
	if err != nil {
		return nil, err
	}
	if in.entries, err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
		return nil, fmt.Errorf("MakeDriver: %w", err)
	}
	var files []string
	err = filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".java") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := tool(ctx, "javac", append([]string{"-nowarn", "-d", in.driver, "-cp", in.classPath()},
		files...)...); err != nil {
		return nil, err
	}
	var quoted []string
	for _, p := range in.path {
		quoted = append(quoted, strconv.Quote(p))
	}
	toml := fmt.Sprintf("build = \"plain\"\njdk = %q\noutputs = [\"driver\"]\nclassPath = [%s]\n", *jdk,
		strings.Join(quoted, ", "))
	return in, os.WriteFile(filepath.Join(dir, "catchlens.toml"), []byte(toml), 0o644)
}

// classesIn lists the classes of a folder by binary name, without descriptions of packages and
// modules.
func classesIn(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		name, class := strings.CutSuffix(path, ".class")
		if base := filepath.Base(name); err != nil || !class || strings.HasSuffix(base, "-info") {
			return err
		}
		if name, err = filepath.Rel(dir, name); err == nil {
			names = append(names, classfile.SourceName(filepath.ToSlash(name)))
		}
		return err
	})
	return names, err
}

func (in *input) classPath() string { return strings.Join(in.path, string(os.PathListSeparator)) }

// source finds a file of the repository from its root or a folder below.
func source(path string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s: run this in the repository", path)
		}
	}
}

// defaultJDK is the JDK of the javac on the path.
func defaultJDK() (string, error) {
	javac, err := exec.LookPath("javac")
	if err != nil {
		return "", err
	}
	if javac, err = filepath.EvalSymlinks(javac); err != nil {
		return "", err
	}
	return filepath.Dir(filepath.Dir(javac)), nil
}

// tool runs a tool of the JDK and returns its standard output.
func tool(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(*jdk, "bin", name), args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, errs.Bytes())
	}
	return string(text), nil
}

// fetch copies the jars of a peer into a folder, by Maven, and returns it.
func fetch(ctx context.Context, name, dir string) (string, error) {
	pom, err := source("bench/peers/" + name + ".xml")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(pom)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(dir, "pom.xml")
	if have, err := os.ReadFile(mark); err == nil && bytes.Equal(have, text) {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies",
		"-DincludeScope=runtime", "-DoutputDirectory="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetching %s: %w\n%s", name, err, out)
	}
	return dir, os.WriteFile(mark, text, 0o644)
}

// sample is one process.
type sample struct {
	wall, cpu time.Duration // cpu: of all its threads
	rss       int64         // bytes
}

// measure runs a process. The error holds the end of its output.
func measure(ctx context.Context, cmd *exec.Cmd) (sample, error) {
	s, _, err := measureOutput(ctx, cmd)
	return s, err
}

// measureOutput also returns what the process wrote.
func measureOutput(ctx context.Context, cmd *exec.Cmd) (sample, []byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	s := sample{wall: time.Since(start)}
	if cmd.ProcessState != nil {
		s.rss = rss.Max(cmd.ProcessState)
		s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil {
		text := out.Bytes()
		err = fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), errors.Join(err, ctx.Err()),
			text[max(0, len(text)-2000):])
	}
	return s, out.Bytes(), err
}

// median is the median of one figure of the samples.
func median[T int64 | time.Duration](samples []sample, figure func(sample) T) T {
	var values []T
	for _, s := range samples {
		values = append(values, figure(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func wall(s sample) time.Duration { return s.wall }
func cpu(s sample) time.Duration  { return s.cpu }
func resident(s sample) int64     { return s.rss }
