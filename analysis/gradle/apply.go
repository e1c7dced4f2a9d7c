package gradle

// This file interprets the statements of a Gradle script for one project.

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/maven"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
)

// maxScriptNesting bounds scripts that apply scripts.
const maxScriptNesting = 10

// apply interprets statements inside the blocks named by ctx.
func (b *build) apply(p *project, ctx []string, stmts []stmt) {
	for i := range stmts {
		s := &stmts[i]
		p.noteTestTask(s.head, "Test")
		names, rest := s.path()
		if len(names) == 0 {
			b.apply(p, ctx, s.block)
			continue
		}
		full := append(slices.Clone(ctx), names...)
		if len(full) > 20 {
			continue
		}
		b.statement(p, full, rest, s)
	}
}

// statement interprets one statement by its full path of names.
func (b *build) statement(p *project, full []string, rest []token, s *stmt) {
	head := full[0]
	switch head {
	case "plugins":
		b.pluginsBlock(p, full[1:], rest, s)
		return
	case "apply":
		b.applyStatement(p, rest)
		return
	case "allprojects", "subprojects", "buildscript", "pluginManagement", "publishing", "repositories", "signing",
		"configure":
		return // the first two are handled by shared
	case "project":
		if len(full) > 1 && strings.HasPrefix(full[1], ":") {
			return
		}
		if len(full) > 1 {
			full = full[1:]
			head = full[0]
		}
	case "tasks":
		if len(full) == 1 {
			b.apply(p, nil, s.block)
			return
		}
		full = full[1:]
		head = full[0]
	case "sourceSets":
		b.sourceSets(p, full[1:], rest, s)
		return
	case "dependencies":
		b.dependencies(p, full[1:], rest, s)
		return
	case "testing": // testing { suites { test { useJUnitJupiter() } } }
		p.suites = true
		b.testSuites(p, full[1:], s)
		return
	case "android":
		p.isAndroid = p.isAndroid || s.has
		return
	case "ext", "extra":
		b.variables(p, s.block)
		b.variable(p, full, rest)
		return
	}
	switch {
	case head == "test" || head == "Test":
		b.testTask(p, full[1:], rest, s)
	case head == "compileJava" || head == "JavaCompile" || head == "compileTestJava":
		b.compileTask(p, full[1:], rest, s, head == "compileTestJava")
	case head == "java":
		b.javaExtension(p, full[1:], rest, s)
	case head == "sourceCompatibility" || head == "targetCompatibility":
		b.javaExtension(p, full, rest, s)
	case head == "group" && len(full) == 1:
		if v := strs(p, rest); len(v) > 0 {
			p.group = v[0]
		}
	case head == "buildDir" || head == "layout" && slices.Contains(full, "buildDirectory"):
		if v := strs(p, rest); len(v) > 0 {
			p.buildDir = filetree.Abs(p.dir, v[len(v)-1])
			p.vars["buildDir"] = p.buildDir
		}
	default:
		b.variable(p, full, rest)
	}
}

// pluginsBlock notes plug-ins, and applies the build's own.
func (b *build) pluginsBlock(p *project, names []string, rest []token, s *stmt) {
	if len(names) == 0 {
		for i := range s.block {
			n, r := s.block[i].path()
			b.pluginsBlock(p, n, r, &s.block[i])
		}
		return
	}
	switch id := names[0]; id {
	case "id", "kotlin", "alias":
		if v := strs(p, rest); len(v) > 0 {
			b.plugin(p, v[0])
		}
	default:
		b.plugin(p, strings.Join(names, "."))
	}
}

func (b *build) plugin(p *project, id string) {
	if p.plugins[id] {
		return
	}
	p.plugins[id] = true
	switch id {
	case "java", "java-library", "application", "java-gradle-plugin", "war":
		p.isJava = true
	}
	if f := b.conventions()[id]; f != "" {
		b.include(p, f)
	}
}

// conventions are the build's own plug-ins that are scripts, by their IDs: those of
// buildSrc, of the builds that settings include, and of the usual names of such
// builds, each with its projects (Gradle User Manual, "Precompiled script
// plugins"). A script in a package has it before its name.
func (b *build) conventions() map[string]string {
	if b.plugins != nil {
		return b.plugins
	}
	b.plugins = map[string]string{}
	dirs := append([]string{"buildSrc"}, b.included...)
	for _, d := range append(dirs, "build-logic", "build-logic/convention", "gradle/build-logic", "gradle/plugins") {
		b.conventionsOf(filetree.Abs(b.root, d), 0)
	}
	return b.plugins
}

// conventionsOf adds the scripts of the build or project at dir, and of projects up to two
// folders below it.
func (b *build) conventionsOf(dir string, depth int) {
	for _, lang := range []string{"groovy", "kotlin", "java"} {
		src := filepath.Join(dir, "src", "main", lang)
		w := &filetree.Walker{Inside: true}
		_ = w.Walk(src, func(path string, _ fs.DirEntry) error {
			rel, err := filepath.Rel(src, path)
			if name, ok := strings.CutSuffix(strings.TrimSuffix(rel, ".kts"), ".gradle"); err == nil && ok {
				if id := strings.ReplaceAll(filepath.ToSlash(name), "/", "."); b.plugins[id] == "" {
					b.plugins[id] = path
				}
			}
			return nil
		})
	}
	if depth == 2 {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if d := filepath.Join(dir, e.Name()); e.IsDir() && !workspace.HoldsNoProject(e.Name()) && IsBuild(d) {
			b.conventionsOf(d, depth+1)
		}
	}
}

// include interprets another script for the project.
func (b *build) include(p *project, file string) {
	if b.depth >= maxScriptNesting {
		return
	}
	b.depth++
	p.files = append(p.files, file)
	b.apply(p, nil, b.readScript(file))
	b.depth--
}

// applyStatement reads apply plugin: 'java' and apply from: 'x.gradle'.
func (b *build) applyStatement(p *project, rest []token) {
	v := strs(p, rest)
	for i, t := range rest {
		if t.kind != tokIdent || len(v) == 0 {
			continue
		}
		switch t.text {
		case "plugin":
			b.plugin(p, v[0])
			return
		case "from":
			if f := filetree.Abs(p.dir, strings.TrimPrefix(v[len(v)-1], "file:")); filetree.IsFile(f) {
				b.include(p, f)
			} else if f := filetree.Abs(b.root, v[len(v)-1]); filetree.IsFile(f) {
				b.include(p, f)
			}
			return
		}
		if i > 4 {
			return
		}
	}
}

// sourceSets reads source folders.
func (b *build) sourceSets(p *project, names []string, rest []token, s *stmt) {
	if s.has {
		for i := range s.block {
			n, r := s.block[i].path()
			b.sourceSets(p, append(slices.Clone(names), n...), r, &s.block[i])
		}
		if len(names) < 3 {
			return
		}
	}
	if len(names) < 3 {
		return
	}
	set := p.sets[names[0]]
	if set == nil {
		set = &sourceSet{}
		p.sets[names[0]] = set
	}
	dirs := strs(p, rest)
	replace := false
	switch names[len(names)-1] {
	case "srcDir":
	case "include", "includes", "exclude", "excludes":
		if names[1] == "java" {
			set.pattern(strings.HasPrefix(names[len(names)-1], "include"), dirs, saysAll(rest, dirs))
		}
		return
	case "srcDirs", "setSrcDirs":
		replace = names[len(names)-1] == "setSrcDirs" || len(rest) > 0 && isPunct(rest[0], "=")
	default:
		return
	}
	switch names[1] {
	case "java":
		if replace {
			set.java, set.replaceJava = nil, true
		}
		set.java = append(set.java, dirs...)
	case "resources":
		if replace {
			set.resources, set.replaceR = nil, true
		}
		set.resources = append(set.resources, dirs...)
	}
}

// pattern takes patterns of the sources that are compiled, or that are not. Of a statement whose
// patterns are not known as a whole nothing counts: a part of "p/" + name would stand for all of p.
func (s *sourceSet) pattern(include bool, list []string, known bool) {
	switch {
	case !include && known:
		s.taken.Excludes = append(s.taken.Excludes, list...)
	case include && known && !s.anyInclude:
		s.taken.Includes = append(s.taken.Includes, list...)
	case include:
		s.taken.Includes, s.anyInclude = nil, true
	}
}

// saysAll tells whether the tokens after a name are the strings of a list and nothing else.
func saysAll(toks []token, list []string) bool {
	n := 0
	for _, t := range toks {
		switch {
		case t.kind == tokString:
			n++
		case t.kind == tokLine:
		case t.kind != tokPunct || !strings.Contains("=,()[]", t.text):
			return false
		}
	}
	return n > 0 && n == len(list)
}

// javaExtension reads java { toolchain {...}; sourceCompatibility = ... }.
func (b *build) javaExtension(p *project, names []string, rest []token, s *stmt) {
	for i := range s.block {
		n, r := s.block[i].path()
		b.javaExtension(p, append(slices.Clone(names), n...), r, &s.block[i])
	}
	if len(names) == 0 {
		return
	}
	switch names[len(names)-1] {
	case "languageVersion":
		if v := p.javaVersion(rest); v > 0 {
			p.toolJDK = workspace.SpecVersion(v)
			if p.release == 0 {
				p.release = v
			}
		}
	case "set":
		if len(names) > 1 && (names[len(names)-2] == "languageVersion" || names[len(names)-2] == "inferModulePath") {
			b.javaExtension(p, names[:len(names)-1], rest, &stmt{})
		}
	case "sourceCompatibility", "targetCompatibility":
		if v := p.javaVersion(rest); v > 0 && !p.flag {
			p.release = v
		}
	case "inferModulePath":
		p.noModules = hasIdent(rest, "false")
	}
}

// javaVersion finds a Java version among tokens: 17, 1.8, '11',
// JavaVersion.VERSION_1_8, JavaLanguageVersion.of(21), or a variable.
func (p *project) javaVersion(toks []token) int {
	for i, t := range toks {
		switch t.kind {
		case tokNumber:
			return workspace.FeatureOf(t.text)
		case tokString:
			if v := strs(p, toks[i:i+1]); len(v) > 0 {
				return workspace.FeatureOf(v[0])
			}
		case tokIdent:
			if v, ok := strings.CutPrefix(t.text, "VERSION_"); ok {
				return workspace.FeatureOf(strings.ReplaceAll(v, "_", "."))
			}
			if v, ok := p.vars[t.text]; ok && workspace.FeatureOf(v) > 0 {
				return workspace.FeatureOf(v)
			}
		}
	}
	return 0
}

// compileTask reads options of JavaCompile tasks.
func (b *build) compileTask(p *project, names []string, rest []token, s *stmt, testOnly bool) {
	for i := range s.block {
		n, r := s.block[i].path()
		b.compileTask(p, append(slices.Clone(names), n...), r, &s.block[i], testOnly)
	}
	if len(names) == 0 {
		return
	}
	last := names[len(names)-1]
	if (last == "set" || last == "add" || last == "addAll") && len(names) > 1 {
		last = names[len(names)-2]
	}
	switch last {
	case "encoding":
		if v := strs(p, rest); len(v) > 0 {
			p.encoding = v[0]
		}
	case "release":
		if v := p.javaVersion(rest); v > 0 && !testOnly {
			p.release, p.flag = v, true
		}
	case "compilerArgs":
		for _, a := range strs(p, rest) {
			if a == "-parameters" {
				p.params = true
			} else if !slices.Contains(p.args, a) {
				p.args = append(p.args, a)
			}
		}
	case "sourceCompatibility", "targetCompatibility":
		if v := p.javaVersion(rest); v > 0 && !p.flag && !testOnly {
			p.release = v
		}
	}
}

// noteTestTask notes the name of a test task beside "test" that a statement makes, of a type:
// "Test", or "JvmTestSuite", which has a task. Gradle makes them in several ways: task n(type:
// Test), register("n", Test), register<Test>("n"), val n by registering(Test::class),
// n(JvmTestSuite).
func (p *project) noteTestTask(head []token, kind string) {
	named, quoted := "", "" // the first identifier that may be its name, and the first string
	typed, made := false, kind == "JvmTestSuite"
	for i, t := range head {
		switch {
		case t.kind == tokIdent && t.text == kind:
			typed = true
		case t.kind == tokIdent && slices.Contains(makersOfTasks, t.text):
			made = true
		case t.kind == tokString && quoted == "":
			quoted = t.text
		case t.kind == tokIdent && named == "" && !slices.Contains(aroundTasks, t.text) &&
			(i == 0 || head[i-1].text != "."):
			named = t.text
		}
	}
	name := cmp.Or(quoted, named)
	if typed && made && name != "" && name != "test" && !slices.Contains(p.testTasks, name) {
		p.testTasks = append(p.testTasks, name)
	}
}

// makersOfTasks make a task; aroundTasks stand where a task is made and do not name it.
var (
	makersOfTasks = []string{"task", "register", "create", "registering", "creating"}
	aroundTasks   = []string{"tasks", "suites", "val", "def", "by", "type", "class"}
)

// testSuites reads the jvm-test-suite plug-in's block for the suite "test".
func (b *build) testSuites(p *project, names []string, s *stmt) {
	if len(names) > 0 && names[0] == "suites" {
		names = names[1:]
	}
	for i := range s.block {
		p.noteTestTask(s.block[i].head, "JvmTestSuite")
		n, r := s.block[i].path()
		all := append(slices.Clone(names), n...)
		if len(all) > 0 && (all[0] == "suites") {
			b.testSuites(p, all, &s.block[i])
			continue
		}
		if len(all) > 0 && all[0] != "test" && all[0] != "JvmTestSuite" {
			continue
		}
		switch {
		case len(all) > 1 && all[1] == "dependencies":
			b.suiteDependencies(p, &s.block[i])
		case len(all) > 1 && all[1] == "targets":
		default:
			if len(all) > 1 {
				b.testTask(p, all[1:], r, &stmt{})
			}
			b.testSuites(p, all, &s.block[i])
		}
	}
}

func (b *build) suiteDependencies(p *project, s *stmt) {
	for i := range s.block {
		n, r := s.block[i].path()
		if len(n) > 0 {
			n[0] = "test" + strings.ToUpper(n[0][:1]) + n[0][1:]
			b.dependencies(p, n, r, &s.block[i])
		}
	}
}

// testTask reads the settings of the test task.
func (b *build) testTask(p *project, names []string, rest []token, s *stmt) {
	t := &p.test
	if len(names) == 0 {
		for i := range s.block {
			n, r := s.block[i].path()
			if len(n) > 0 {
				b.testTask(p, n, r, &s.block[i])
			}
		}
		return
	}
	v := strs(p, rest)
	last := names[len(names)-1]
	if (last == "set" || last == "addAll" || last == "put") && len(names) > 1 {
		last = names[len(names)-2]
	}
	switch last {
	case "useJUnitPlatform", "useJUnitJupiter":
		t.Framework = workspace.JUnitPlatform
		b.testOptions(p, s)
	case "useJUnit":
		t.Framework = workspace.JUnit4
		b.testOptions(p, s)
	case "useTestNG":
		t.Framework = workspace.TestNG
		b.testOptions(p, s)
	case "include", "includes":
		t.Includes = append(t.Includes, v...)
	case "exclude", "excludes":
		t.Excludes = append(t.Excludes, v...)
	case "filter":
		b.testOptions(p, s)
	case "includeTestsMatching":
		t.IncludeFilters = append(t.IncludeFilters, v...)
	case "excludeTestsMatching":
		t.ExcludeFilters = append(t.ExcludeFilters, v...)
	case "systemProperty":
		b.keyValue(p, rest, t.SystemProperties, true)
	case "systemProperties":
		b.keyValue(p, rest, t.SystemProperties, false)
	case "environment":
		b.keyValue(p, rest, t.Environment, !hasColon(rest))
	case "jvmArgs", "allJvmArgs":
		for _, a := range v {
			t.JVMArgs = append(t.JVMArgs, maven.SplitArgs(a)...)
		}
	case "maxHeapSize":
		if len(v) > 0 {
			p.maxHeap = v[0]
		}
	case "minHeapSize":
		if len(v) > 0 {
			t.JVMArgs = append(t.JVMArgs, "-Xms"+v[0])
		}
	case "workingDir":
		if len(v) > 0 {
			t.WorkingDir = filetree.Abs(p.dir, v[len(v)-1])
		}
	case "inferModulePath":
		p.noModules = hasIdent(rest, "false")
	case "enableAssertions":
		t.EnableAssertions = !hasIdent(rest, "false")
	case "forkEvery", "setForkEvery":
		t.ForkPerClass = slices.ContainsFunc(rest, func(t token) bool {
			return t.kind == tokNumber && strings.TrimRight(t.text, "lL") == "1" // the property is a long
		})
	case "enabled":
		if hasIdent(rest, "false") {
			t.Skipped = workspace.TestTaskDisabled
		}
	}
}

// testOptions reads the block of useJUnitPlatform and its like, and of filter.
func (b *build) testOptions(p *project, s *stmt) {
	t := &p.test
	for i := range s.block {
		n, r := s.block[i].path()
		if len(n) == 0 {
			continue
		}
		v := strs(p, r)
		switch n[len(n)-1] {
		case "includeTags", "includeCategories", "includeGroups":
			t.Groups = append(t.Groups, v...)
		case "excludeTags", "excludeCategories", "excludeGroups":
			t.ExcludedGroups = append(t.ExcludedGroups, v...)
		case "includeTestsMatching", "includeTest":
			t.IncludeFilters = append(t.IncludeFilters, v...)
		case "excludeTestsMatching", "excludeTest":
			t.ExcludeFilters = append(t.ExcludeFilters, v...)
		case "suites", "suiteXmlFiles":
			for _, f := range v {
				t.SuiteFiles = append(t.SuiteFiles, filetree.Abs(p.dir, f))
			}
		}
	}
}

func hasIdent(toks []token, word string) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return t.kind == tokIdent && t.text == word })
}

func hasColon(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return isPunct(t, ":") })
}

// keyValue reads 'k', 'v' (single), and [k: 'v'] or mapOf("k" to "v").
func (b *build) keyValue(p *project, toks []token, into map[string]string, single bool) {
	value := func(t token) (string, bool) {
		switch t.kind {
		case tokString:
			v := strs(p, []token{t})
			return strings.Join(v, ""), len(v) == 1
		case tokNumber:
			return t.text, true
		case tokIdent:
			if t.text == "true" || t.text == "false" {
				return t.text, true
			}
			v, ok := p.vars[t.text]
			return v, ok
		}
		return "", false
	}
	toks = slices.DeleteFunc(slices.Clone(toks), func(t token) bool {
		return t.kind == tokPunct && strings.Contains("()[]=+", t.text)
	})
	for i := 0; i+2 < len(toks); i++ {
		sep := toks[i+1]
		ok := single && isPunct(sep, ",") || isPunct(sep, ":") || sep.kind == tokIdent && sep.text == "to"
		if !ok || toks[i].kind != tokString && toks[i].kind != tokIdent {
			continue
		}
		if v, good := value(toks[i+2]); good {
			into[toks[i].text] = v
		}
		if single {
			return
		}
		i += 2
	}
}
