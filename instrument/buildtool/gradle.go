package buildtool

// This file asks Gradle for class paths.

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/tempdir"
)

//go:embed gradle/catchlens.init.gradle
var gradleScript embed.FS

const gradleScriptFile = "gradle/catchlens.init.gradle"

// ResolveGradle runs Gradle (the project's wrapper, else gradle on PATH) with
// an init script that adds a task which writes class paths, folders and test
// settings of each project. No task of the build runs, no daemon stays. The
// class folders of other projects stand where Gradle names their jars. Answers
// are kept by digests of the build files; the error carries Gradle's last
// lines.
func ResolveGradle(ctx context.Context, w *workspace.Workspace,
	opt ResolveOptions) ([]workspace.ResolvedClassPath, error) {
	opt = opt.withDefaults()
	var all []workspace.ResolvedClassPath
	var errs []error
	roots := buildRoots(w, workspace.Gradle, "settings.gradle", "settings.gradle.kts", "build.gradle",
		"build.gradle.kts")
	for _, root := range sortedKeys(roots) {
		mods := roots[root]
		key := resolveKey(root, mods, "gradle")
		if !opt.Refresh {
			if list, ok := recall(opt.CacheDir, key); ok {
				all = append(all, list...)
				continue
			}
		}
		if opt.KeptOnly {
			continue
		}
		list, err := askGradle(ctx, w, opt, root, mods)
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		all = append(all, list...)
		if err == nil {
			err = keep(opt.CacheDir, key, list)
		}
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}

// gradleRecord is what the init script writes for a project.
type gradleRecord struct {
	Path             string            `json:"path"`
	Dir              string            `json:"dir"`
	Errors           []string          `json:"errors"`
	MainSources      []string          `json:"mainSources"`
	TestSources      []string          `json:"testSources"`
	MainResources    []string          `json:"mainResources"`
	TestResources    []string          `json:"testResources"`
	MainClasses      []string          `json:"mainClasses"`
	TestClasses      []string          `json:"testClasses"`
	MainCompile      []string          `json:"mainCompile"`
	MainRuntime      []string          `json:"mainRuntime"`
	TestCompile      []string          `json:"testCompile"`
	TestRuntime      []string          `json:"testRuntime"`
	MainProcessors   []string          `json:"mainProcessors"`
	Release          string            `json:"release"`
	JVMArgs          []string          `json:"jvmArgs"`
	SystemProperties map[string]string `json:"systemProperties"`
	Framework        string            `json:"framework"`
	Tests            *gradleTests      `json:"tests"`
	MainTaken        *workspace.Taken  `json:"mainTaken"`
	TestTaken        *workspace.Taken  `json:"testTaken"`
	// Jars are the class and resource folders of source sets, by the jars that are made of them.
	Jars map[string][]string `json:"jars"`
}

// gradleTests is what the init script writes of a project's task "test".
type gradleTests struct {
	Includes        []string          `json:"includes"`
	Excludes        []string          `json:"excludes"`
	Filters         []string          `json:"filters"`
	ExcludedFilters []string          `json:"excludedFilters"`
	Groups          []string          `json:"groups"`
	ExcludedGroups  []string          `json:"excludedGroups"`
	Suites          []string          `json:"suites"`
	Environment     map[string]string `json:"environment"` // what it has beside Gradle's own
	WorkingDir      string            `json:"workingDir"`
	Assertions      bool              `json:"assertions"`
	Enabled         bool              `json:"enabled"`
	ForkEvery       string            `json:"forkEvery"`
	Conditions      int               `json:"conditions"` // that pick test classes and are no patterns
}

// settings are the test settings that a record tells.
func (t *gradleTests) settings() *workspace.ResolvedTests {
	if t == nil {
		return nil
	}
	fork, _ := strconv.Atoi(t.ForkEvery) // Gradle 4 tells a long, newer ones an int; no number is none
	r := &workspace.ResolvedTests{Selection: workspace.Selection{Includes: t.Includes, Excludes: t.Excludes,
		IncludeFilters: t.Filters, ExcludeFilters: t.ExcludedFilters, Groups: t.Groups,
		ExcludedGroups: t.ExcludedGroups}, SuiteFiles: t.Suites, Environment: t.Environment,
		WorkingDir: t.WorkingDir, EnableAssertions: t.Assertions, ForkPerClass: fork == 1}
	if !t.Enabled {
		r.Skipped = workspace.TestTaskDisabled
	}
	if t.Conditions > 0 {
		r.NotRun = append(r.NotRun, workspace.ConditionsOfTests)
	}
	return r
}

func askGradle(ctx context.Context, w *workspace.Workspace, opt ResolveOptions, root string,
	mods []*workspace.Module) ([]workspace.ResolvedClassPath, error) {
	tool, err := findTool(root, w.Root, "gradlew", "gradle")
	if err != nil {
		return nil, fmt.Errorf("cannot ask Gradle for the class paths of %s: %w", root, err)
	}
	own, err := tempdir.New("gradle-")
	if err != nil {
		return nil, err
	}
	defer own.Remove()
	tmp := own.Path
	script, err := gradleScript.ReadFile(gradleScriptFile)
	if err != nil {
		return nil, err
	}
	init, out := filepath.Join(tmp, "catchlens.init.gradle"), filepath.Join(tmp, "out.json")
	if err := os.WriteFile(init, script, 0o600); err != nil {
		return nil, err
	}
	opt.Progress("asking Gradle for the class paths of " + root)
	args := []string{"--no-daemon", "--console=plain", "-q", "--continue", "-I", init, "-Dcatchlens.out=" + out,
		"-Dorg.gradle.configuration-cache=false", "-Dorg.gradle.unsafe.configuration-cache=false",
		"-Dorg.gradle.configureondemand=false",
		"--project-cache-dir", filepath.Join(tmp, "cache")}
	if opt.Offline {
		args = append(args, "--offline")
	}
	err = runGradle(ctx, opt, root, cleanEnv(toolJDK(w)...), tool, append(args, "catchlensClassPaths"))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	data, rerr := bounded.Read(out, bounded.Cache)
	var records []gradleRecord
	if rerr != nil || json.Unmarshal(data, &records) != nil || len(records) == 0 {
		if err == nil {
			err = errors.New("it wrote no answer")
		}
		return nil, fmt.Errorf("gradle could not tell the class paths of %s: %w", root, err)
	}
	return gradleAnswers(w, mods, records)
}

// runGradle runs Gradle with arguments. A wrapper that ends without a word of
// Gradle's own could not get the Gradle that it names, say without a network: then
// gradle on PATH is run in its place.
func runGradle(ctx context.Context, opt ResolveOptions, root string, env []string, tool string, args []string) error {
	said, err := runToolSaying(ctx, opt, root, env, append([]string{tool}, args...)...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if cause := gradleCause(said); cause != "" {
		return errors.New(cause)
	}
	if !strings.HasPrefix(filepath.Base(tool), "gradlew") {
		return err
	}
	why := fmt.Sprintf("%s could not get the Gradle that it names (%s)", filepath.Base(tool), wrapperCause(said))
	other, lerr := exec.LookPath("gradle")
	if lerr != nil {
		return fmt.Errorf("%s, and there is no gradle on PATH", why)
	}
	opt.Progress(why + ": trying " + other)
	if said, err = runToolSaying(ctx, opt, root, env, append([]string{other}, args...)...); err == nil {
		return nil
	}
	if cause := gradleCause(said); cause != "" {
		err = errors.New(cause)
	}
	return fmt.Errorf("%s, and %s failed: %w", why, other, err)
}

// gradleCause is what Gradle says went wrong, "" if it did not come to that.
func gradleCause(said string) string {
	_, rest, ok := strings.Cut(said, "* What went wrong:\n")
	if !ok {
		return ""
	}
	var lines []string
	for _, l := range strings.Split(rest, "\n") {
		if strings.HasPrefix(l, "* ") || len(lines) == 8 {
			break
		}
		lines = append(lines, strings.TrimSpace(l))
	}
	return strings.Join(lines, "\n")
}

// wrapperCause is the line of a wrapper's output that names an exception or an
// error, else its last one.
func wrapperCause(said string) string {
	lines := strings.Split(said, "\n")
	for _, l := range lines {
		if strings.Contains(l, "Exception") || strings.HasPrefix(l, "Error: ") || strings.HasPrefix(l, "ERROR: ") {
			return strings.TrimSpace(strings.TrimPrefix(l, "Exception in thread \"main\" "))
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return "it said nothing"
}

// gradleAnswers turns records into class paths; projects with errors are left
// out and named in the error.
func gradleAnswers(w *workspace.Workspace, mods []*workspace.Module,
	records []gradleRecord) ([]workspace.ResolvedClassPath, error) {
	byDir := map[string]*gradleRecord{}
	outputs := map[string][]string{} // folder of a project -> its main classes, jar -> those that it is made of
	for i := range records {
		r := &records[i]
		byDir[filepath.Clean(r.Dir)] = r
		outputs[filepath.Clean(r.Dir)] = r.MainClasses
		for jar, dirs := range r.Jars {
			outputs[filepath.Clean(jar)] = dirs
		}
	}
	var list []workspace.ResolvedClassPath
	var bad []string
	for _, m := range mods {
		r := byDir[m.Dir]
		if real, err := filepath.EvalSymlinks(m.Dir); r == nil && err == nil {
			r = byDir[real]
		}
		if r == nil {
			bad = append(bad, m.Name+": Gradle knows no project in "+m.Dir)
			continue
		}
		if len(r.Errors) > 0 {
			bad = append(bad, m.Name+": "+strings.Join(r.Errors, "\n"))
			continue
		}
		if len(r.MainClasses)+len(r.TestClasses) == 0 { // a Gradle from before 5.0 passes over build.gradle.kts
			bad = append(bad, m.Name+": Gradle sees no Java project in "+m.Dir+"; is it too old for its build scripts?")
			continue
		}
		own := append(slices.Clone(r.MainClasses), r.TestClasses...)
		clean := func(list []string) []string {
			var out []string
			for _, p := range list {
				p = filepath.Clean(p)
				for _, q := range ownClasses(p, outputs) {
					if !slices.Contains(own, q) && !slices.Contains(out, q) {
						out = append(out, q)
					}
				}
			}
			return out
		}
		res := workspace.ResolvedClassPath{Module: m.Name, ClassPath: clean(r.MainCompile),
			RuntimeClassPath: clean(r.MainRuntime),
			TestClassPath:    clean(append(slices.Clone(r.TestRuntime), r.TestCompile...)), MainOutputs: r.MainClasses,
			TestOutputs: r.TestClasses,
			MainSources: r.MainSources, TestSources: r.TestSources, Resources: r.MainResources,
			TestResources: r.TestResources,
			ProcessorPath: clean(r.MainProcessors), JVMArgs: r.JVMArgs, SystemProperties: r.SystemProperties,
			Tests: r.Tests.settings(), Taken: r.MainTaken, TestTaken: r.TestTaken}
		if n, err := strconv.Atoi(strings.TrimPrefix(r.Release, "1.")); err == nil {
			res.Release = n
		}
		switch {
		case strings.HasPrefix(r.Framework, "JUnitPlatform"):
			res.TestFramework = workspace.JUnitPlatform
		case strings.HasPrefix(r.Framework, "TestNG"):
			res.TestFramework = workspace.TestNG
		case strings.HasPrefix(r.Framework, "JUnit"):
			res.TestFramework = workspace.JUnit4
		}
		list = append(list, res)
	}
	if len(bad) > 0 {
		return list, fmt.Errorf("gradle could not resolve:\n%s", strings.Join(bad, "\n"))
	}
	return list, nil
}

// ownClasses answers the class folders that the jar p is made of, or those of the project whose
// jar it is by its place (.../build/libs/x.jar), else p itself.
func ownClasses(p string, outputs map[string][]string) []string {
	if dirs := outputs[p]; len(dirs) > 0 && strings.HasSuffix(p, ".jar") {
		return dirs
	}
	if strings.HasSuffix(p, ".jar") && filepath.Base(filepath.Dir(p)) == "libs" {
		if dirs := outputs[filepath.Dir(filepath.Dir(filepath.Dir(p)))]; len(dirs) > 0 {
			return dirs
		}
	}
	return []string{p}
}
