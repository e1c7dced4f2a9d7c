package buildtool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/workspace"
)

func writeTree(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o666)
		if strings.HasPrefix(text, "#!") {
			mode = 0o777
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openWorkspace(t *testing.T, dir string) (*workspace.Workspace, ResolveOptions) {
	t.Helper()
	opt := ResolveOptions{CacheDir: t.TempDir(), Open: workspace.Options{Home: t.TempDir()}}
	ws, err := discovery.Open(context.Background(), []string{dir}, opt.Open)
	if err != nil {
		t.Fatal(err)
	}
	return ws, opt
}

const twoModules = `<project><groupId>m</groupId><artifactId>root</artifactId><version>1</version><packaging>pom</packaging><modules><module>core</module><module>app</module></modules></project>`

func modulePom(name, deps string) string {
	return `<project><parent><groupId>m</groupId><artifactId>root</artifactId><version>1</version></parent><artifactId>` + name + `</artifactId><dependencies>` + deps + `</dependencies></project>`
}

// fakeMaven answers like the dependency plug-in: it expands the file names,
// and writes what the test wants.
const fakeMaven = `#!/bin/sh
for a in "$@"; do case "$a" in
 -Dmdep.outputFile=*) path="${a#*=}";;
 -DoutputFile=*) list="${a#*=}";;
esac; done
echo run >> "%[1]s/runs"
fill() { echo "$1" | sed "s/[$]{project.groupId}/m/; s/[$]{project.artifactId}/$2/"; }
for mod in core app; do
  p=$(fill "$path" $mod); mkdir -p "$(dirname "$p")"
  printf '%%s' "%[1]s/a.jar:%[1]s/r/m/core/1/core-1.jar:%[1]s/t.jar:%[1]s/p.jar" > "$p"
  { echo; echo "The following files have been resolved:"
    echo "   g:a:jar:1:compile:%[1]s/a.jar -- module g.a (auto)"
    echo "   m:core:jar:1:compile:%[1]s/r/m/core/1/core-1.jar"
    echo "   g:t:jar:tests:1:test:%[1]s/t.jar"
    echo "   g:p:jar:1:provided (optional):%[1]s/p.jar"; } > "$(fill "$list" $mod)"
done
`

func TestResolveMavenAnswers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Maven is a shell script")
	}
	dir := writeTree(t, t.TempDir(), map[string]string{"pom.xml": twoModules, "core/pom.xml": modulePom("core", ""),
		"app/pom.xml": modulePom("app",
			"<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency>"),
		"core/src/main/java/C.java": "", "app/src/main/java/A.java": "", "a.jar": "", "t.jar": "", "p.jar": ""})
	writeTree(t, dir, map[string]string{"mvnw": fmt.Sprintf(fakeMaven, dir)})
	ws, opt := openWorkspace(t, dir)
	if ws.Module("app").ClassPathComplete {
		t.Fatal("the class path of app is complete without a repository")
	}
	short := func(list []string) string {
		return strings.ReplaceAll(strings.Join(list, " "), dir+string(filepath.Separator), "")
	}
	var said []string
	opt.Progress = func(s string) { said = append(said, s) }
	for i := 0; i < 2; i++ { // the second time from the cache
		got, err := Resolve(context.Background(), ws, opt)
		if err != nil {
			t.Fatal(err)
		}
		app := got.Module("app")
		if s := short(app.ClassPath); s != "a.jar core/target/classes p.jar" {
			t.Errorf("class path %q", s)
		}
		if s := short(app.RuntimeClassPath); s != "a.jar core/target/classes" {
			t.Errorf("runtime class path %q", s)
		}
		if s := short(app.TestClassPath); s != "a.jar core/target/classes t.jar p.jar" {
			t.Errorf("test class path %q", s)
		}
		if !app.ClassPathComplete || len(app.Missing) != 0 || len(got.Problems) != 0 {
			t.Errorf("missing %q, problems %v", app.Missing, got.Problems)
		}
	}
	if runs, _ := os.ReadFile(filepath.Join(dir, "runs")); string(runs) != "run\n" {
		t.Errorf("Maven ran %q times", runs)
	}
	if len(said) == 0 {
		t.Error("no progress was told")
	}
	// Another pom, another answer.
	writeTree(t, dir, map[string]string{"app/pom.xml": modulePom("app",
		"<dependency><groupId>g</groupId><artifactId>b</artifactId><version>1</version></dependency>")})
	ws, _ = openWorkspace(t, dir)
	if _, err := Resolve(context.Background(), ws, opt); err != nil {
		t.Fatal(err)
	}
	if runs, _ := os.ReadFile(filepath.Join(dir, "runs")); string(runs) != "run\nrun\n" {
		t.Errorf("Maven ran %q times", runs)
	}
}

// A parent that only Maven's answer brings into the local repository has settings
// of the compiler, too.
func TestResolveMavenParent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Maven is a shell script")
	}
	dir := writeTree(t, t.TempDir(), map[string]string{"pom.xml": `<project><parent><groupId>p</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent>` +
		`<groupId>m</groupId><artifactId>app</artifactId><version>1</version></project>`,
		"src/main/java/A.java": ""})
	ws, opt := openWorkspace(t, dir)
	parent := filepath.Join(opt.Open.Home, ".m2", "repository", "p", "parent", "1")
	writeTree(t, dir, map[string]string{"mvnw": fmt.Sprintf(`#!/bin/sh
mkdir -p "%[1]s"
echo '<project><groupId>p</groupId><artifactId>parent</artifactId><version>1</version><packaging>pom</packaging><build><pluginManagement><plugins><plugin>
<artifactId>maven-compiler-plugin</artifactId><configuration><parameters>true</parameters></configuration></plugin></plugins></pluginManagement></build></project>' > "%[1]s/parent-1.pom"
`, parent)})
	if m := ws.Module("app"); m.ClassPathComplete || m.Parameters {
		t.Fatalf("complete %v, parameters %v without the parent", m.ClassPathComplete, m.Parameters)
	}
	got, err := Resolve(context.Background(), ws, opt)
	if err != nil {
		t.Fatal(err)
	}
	if m := got.Module("app"); !m.ClassPathComplete || !m.Parameters {
		t.Errorf("complete %v, parameters %v", m.ClassPathComplete, m.Parameters)
	}
}

func TestResolveMavenFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Maven is a shell script")
	}
	dir := writeTree(t, t.TempDir(), map[string]string{"pom.xml": `<project><groupId>m</groupId><artifactId>app</artifactId><version>1</version><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies></project>`,
		"src/main/java/A.java": "", "mvnw": "#!/bin/sh\nprintf '\\033[31m[ERROR] no such thing\\033[0m\\n'\nexit 1\n"})
	ws, opt := openWorkspace(t, dir)
	got, err := Resolve(context.Background(), ws, opt)
	if err == nil || !strings.Contains(err.Error(), "[ERROR] no such thing") || strings.Contains(err.Error(),
		"\x1b") ||
		!strings.Contains(err.Error(), "app") {
		t.Errorf("error %v", err)
	}
	if got == nil || got.Module("app").ClassPathComplete {
		t.Error("the rest of the workspace is gone, or called complete")
	}

	// Where Maven does not come to any module, that is said, and not what stand-in projects come
	// to.
	writeTree(t, dir, map[string]string{"mvnw": `#!/bin/sh
case "$*" in *catchlens-tmp-stand-in-*) echo '[ERROR] g:a cannot be had'; exit 1;; esac
echo '[INFO] Scanning for projects...'
for i in 1 2; do echo '[ERROR] Non-resolvable parent POM for m:app:1'; done
echo '[ERROR] '; echo '[ERROR] Re-run Maven using the -X switch'; echo '[INFO] done'
exit 1
`})
	ws, opt = openWorkspace(t, dir)
	if _, err = Resolve(context.Background(), ws, opt); err == nil ||
		!strings.HasSuffix(err.Error(), "failed (exit status 1):\n[ERROR] Non-resolvable parent POM for m:app:1") {
		t.Errorf("error %v", err)
	}
}

// Of an artifact that cannot be had Maven says much that follows from it.
func TestArtifactError(t *testing.T) {
	for said, want := range map[string]string{
		"mvn failed:\n[ERROR] Failed to execute goal\n[ERROR] Caused by: The following artifacts could not be " +
			"resolved: g:a:pom:1 (absent): Could not transfer artifact g:a:pom:1 from/to r (http://r): r not known" +
			"\n[ERROR] Failed to read artifact descriptor for g:b:jar:1": "Could not transfer artifact g:a:pom:1 " +
			"from/to r (http://r): r not known",
		"mvn failed:\n[ERROR] the grammar is wrong": "mvn failed:\n[ERROR] the grammar is wrong",
	} {
		if got := artifactError(errors.New(said)).Error(); got != want {
			t.Errorf("%q: %q, not %q", said, got, want)
		}
	}
}

func TestComplaint(t *testing.T) {
	for said, want := range map[string]string{
		"a\nb\nc": "b\nc",
		"FAILURE: Build failed with an exception.\n* What went wrong:\nA problem occurred.\n> No " +
			"such thing.\n* Try:\n> Run with --info": "A problem occurred.\n> No such thing.",
		"[INFO] x\n[ERROR] 1\n[ERROR] 1\n[ERROR]\n[ERROR] [Help 1] http\n[ERROR] 2\n[ERROR] 3" +
			"\n[INFO] y": "[ERROR] 1\n[ERROR] 2",
	} {
		if got := complaint(said, 2); got != want {
			t.Errorf("%q: %q, not %q", said, got, want)
		}
	}
}

const fakeGradle = `#!/bin/sh
for a in "$@"; do case "$a" in -Dcatchlens.out=*) out="${a#*=}";; esac; done
case "$*" in *catchlensClassPaths*) ;; *) exit 2;; esac
cat > "$out" <<X
[{"path":":","dir":"%[1]s","errors":[]},
 {"path":":core","dir":"%[1]s/core","errors":[],"mainClasses":["%[1]s/core/build/k","%[1]s/core/build/r"],"mainCompile":["%[1]s/a.jar"],"release":"1.8"},
 {"path":":app","dir":"%[1]s/app","errors":[],"mainClasses":["%[1]s/app/m"],"testClasses":["%[1]s/app/t"],"mainCompile":["%[1]s/core/build/libs/core-1.jar"],
  "testRuntime":["%[1]s/app/t","%[1]s/app/m","%[1]s/core/build/libs/core-1.jar","%[1]s/b.jar"],"testCompile":["%[1]s/b.jar","%[1]s/only.jar"],"jvmArgs":["-Xmx1g","-javaagent:/x/jacocoagent.jar"],"framework":"JUnitPlatformTestFramework"},
 {"path":":bad","dir":"%[1]s/bad","errors":["mainCompile: Could not resolve g:z:9"]},
 {"path":":unread","dir":"%[1]s/unread","errors":[]}]
X
`

func TestResolveGradleAnswers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Gradle is a shell script")
	}
	dir := writeTree(t, t.TempDir(), map[string]string{"settings.gradle": "include 'core', 'app', 'bad', 'unread'",
		"core/src/main/java/C.java": "", "app/src/main/java/A.java": "", "bad/src/main/java/B.java": "",
		"unread/src/main/java/U.java": ""})
	writeTree(t, dir, map[string]string{"gradlew": fmt.Sprintf(fakeGradle, dir)})
	ws, opt := openWorkspace(t, dir)
	got, err := Resolve(context.Background(), ws, opt)
	if err == nil || !strings.Contains(err.Error(), ":bad") || !strings.Contains(err.Error(), "g:z:9") ||
		!strings.Contains(err.Error(), ":unread: Gradle sees no Java project") {
		t.Errorf("error %v", err)
	}
	short := func(list []string) string {
		return strings.ReplaceAll(strings.Join(list, " "), dir+string(filepath.Separator), "")
	}
	app := got.Module(":app")
	if s := short(app.ClassPath); s != "core/build/k core/build/r" {
		t.Errorf("class path %q", s)
	}
	if s := short(app.TestClassPath); s != "core/build/k core/build/r b.jar only.jar" {
		t.Errorf("test class path %q", s)
	}
	if s := short(append(app.MainOutputs, app.TestOutputs...)); s != "app/m app/t" {
		t.Errorf("outputs %q", s)
	}
	if app.Test.Framework != workspace.JUnitPlatform || strings.Join(app.Test.JVMArgs, " ") != "-Xmx1g" ||
		len(app.Test.DroppedJVMArgs) != 1 || !app.ClassPathComplete {
		t.Errorf("%+v", app.Test)
	}
	if got.Module(":core").Release != 8 || got.Module(":bad").ClassPathComplete ||
		got.Module(":unread").ClassPathComplete {
		t.Errorf("release %d; bad complete %v", got.Module(":core").Release, got.Module(":bad").ClassPathComplete)
	}
}

// How tests run is as Gradle says, not as its scripts read; a jar of another project stands for the
// source set that it is made of.
func TestGradleTellsTests(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Gradle is a shell script")
	}
	dir := writeTree(t, t.TempDir(), map[string]string{"settings.gradle": "include 'core', 'app'",
		"app/build.gradle": "test { include '**/Old.class'; environment 'E', compute(); enabled = false\n" +
			"useTestNG { suites 'old.xml' } }",
		"app/suite.xml":             "<suite name='s'><suite-files><suite-file path='more.xml'/></suite-files></suite>",
		"app/more.xml":              "<suite name='m'/>",
		"core/src/main/java/C.java": "", "app/src/main/java/A.java": ""})
	writeTree(t, dir, map[string]string{"gradlew": "#!/bin/sh\n" +
		"for a in \"$@\"; do case \"$a\" in -Dcatchlens.out=*) out=\"${a#*=}\";; esac; done\ncat > \"$out\" <<X\n" +
		strings.ReplaceAll(`[{"path":":core","dir":"@/core","errors":[],"mainClasses":["@/core/m"],
 "tests":{"enabled":true,"forkEvery":"2"},
 "jars":{"@/core/build/libs/core.jar":["@/core/m"],"@/core/build/libs/core-test-fixtures.jar":["@/core/f"]}},
{"path":":app","dir":"@/app","errors":[],"mainClasses":["@/app/m"],"testClasses":["@/app/t"],
 "testRuntime":["@/core/build/libs/core-test-fixtures.jar","@/core/build/libs/core.jar"],
 "framework":"TestNGTestFramework","tests":{"includes":["**/New.class"],"excludes":["**/No.class"],"filters":["*.a"],
 "excludedFilters":["*.b"],"groups":["g"],"excludedGroups":["h"],"suites":["@/app/suite.xml"],"environment":{"E":"e"},
 "workingDir":"@/app/run","assertions":false,"enabled":true,"forkEvery":"1","conditions":2}}]`, "@", dir) +
		"\nX\n"})
	ws, opt := openWorkspace(t, dir)
	if ws.Module(":app").Test.Skipped == "" {
		t.Error("the build script does not disable the test task")
	}
	got, err := Resolve(t.Context(), ws, opt)
	if err != nil {
		t.Fatal(err)
	}
	if got.Module(":core").Test.ForkPerClass {
		t.Error("a new JVM for every second class is taken for one for each")
	}
	short := func(list ...string) string {
		return strings.ReplaceAll(strings.Join(list, " "), dir+string(filepath.Separator), "")
	}
	app := got.Module(":app")
	if s := short(app.TestClassPath...); s != "core/f core/m" {
		t.Errorf("test class path %q", s)
	}
	s := app.Test
	said := short(slices.Concat(s.Includes, s.Excludes, s.IncludeFilters, s.ExcludeFilters, s.Groups, s.ExcludedGroups,
		s.SuiteFiles, s.SuiteInputs, []string{s.Environment["E"], s.WorkingDir, s.Skipped},
		[]string{fmt.Sprint(s.EnableAssertions, s.ForkPerClass)}, s.NotRun)...)
	want := "**/New.class **/No.class *.a *.b g h app/suite.xml app/suite.xml app/more.xml e app/run  false true " +
		workspace.ConditionsOfTests
	if said != want {
		t.Errorf("tests\n%s\nwant\n%s", said, want)
	}
}

// What an earlier session has of one build tool stays when the other one is asked.
func TestResolveKeepsAnswers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins for the build tools are shell scripts")
	}
	dir := writeTree(t, t.TempDir(), map[string]string{"m/pom.xml": twoModules,
		"m/core/pom.xml":              modulePom("core", ""),
		"m/core/src/main/java/C.java": "", "m/a.jar": "", "m/t.jar": "", "m/p.jar": "",
		"m/app/pom.xml": modulePom("app",
			"<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency>"),
		"m/app/src/main/java/A.java": "", "g/settings.gradle": "include 'core', 'app'",
		"g/core/src/main/java/C.java": "", "g/app/src/main/java/B.java": ""})
	writeTree(t, dir, map[string]string{"m/mvnw": fmt.Sprintf(fakeMaven, filepath.Join(dir, "m")),
		"g/gradlew": "#!/bin/sh\necho '* What went wrong:'; echo nothing\nexit 1\n"})
	ws, opt := openWorkspace(t, dir)
	if _, err := Resolve(t.Context(), ws, opt); err == nil {
		t.Fatal("Gradle has answered")
	}
	kept := opt
	kept.KeptOnly = true
	ws, err := Resolve(t.Context(), ws, kept)
	if err != nil || !ws.Module("app").ClassPathComplete {
		t.Fatalf("Maven's answer is not kept: %v", err)
	}
	writeTree(t, dir, map[string]string{"g/gradlew": fmt.Sprintf(fakeGradle, filepath.Join(dir, "g"))})
	got, err := Resolve(t.Context(), ws, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app", ":app"} {
		if m := got.Module(name); !m.ClassPathComplete || len(m.ClassPath) == 0 {
			t.Errorf("the class path of %s is %q", name, m.ClassPath)
		}
	}
}

// TestCancelKillsTheTree ends a tool whose child ignores the parent's end.
func TestCancelKillsTheTree(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tool is a shell script")
	}
	dir := writeTree(t, t.TempDir(), map[string]string{"pom.xml": `<project><groupId>m</groupId><artifactId>app</artifactId><version>1</version><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies></project>`,
		"src/main/java/A.java": ""})
	writeTree(t, dir, map[string]string{"mvnw": "#!/bin/sh\n(trap '' TERM HUP; for i in $(seq 1200); do echo x >> " +
		dir + "/alive; sleep 0.1; done) &\nwait\n"})
	ws, opt := openWorkspace(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	var cancelled time.Time
	go func() {
		for end := time.Now().Add(time.Minute); !fileExists(filepath.Join(dir, "alive")) && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		cancelled = time.Now()
		cancel()
	}()
	_, err := Resolve(ctx, ws, opt)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(cancelled); d > time.Minute { // half of what the child would take
		t.Errorf("took %v", d)
	}
	time.Sleep(150 * time.Millisecond)
	before, _ := os.ReadFile(filepath.Join(dir, "alive"))
	time.Sleep(400 * time.Millisecond)
	after, _ := os.ReadFile(filepath.Join(dir, "alive"))
	if len(before) == 0 || len(before) != len(after) {
		t.Errorf("a child lives on: %d and %d marks", len(before), len(after))
	}
}

// TestCompileWorkspace compiles two modules, the second against the first.
func TestCompileWorkspace(t *testing.T) {
	dir := writeTree(t, t.TempDir(), map[string]string{"pom.xml": strings.Replace(twoModules, "<packaging>",
		"<properties><maven.compiler.release>11</maven.compiler.release></properties><packaging>", 1),
		"core/pom.xml": modulePom("core", ""),
		"app/pom.xml": modulePom("app",
			"<dependency><groupId>m</groupId><artifactId>core</artifactId><version>1</version></dependency>"),
		"core/src/main/java/c/C.java":   "package c; public class C { public static int f() { return 1; } }",
		"core/src/main/resources/x.txt": "x",
		"app/src/main/java/a/A.java":    "package a; public class A { int g() { return c.C.f(); } }",
		"app/src/test/java/a/T.java":    "package a; class T { int t() { return new A().g() + c.C.f(); } }"})
	ws, _ := openWorkspace(t, dir)
	before := tree(t, dir)
	const later = "META-INF/versions/11"
	ws.Module("app").Test.AdditionalClassPath = []string{filepath.Join(ws.Module("app").MainOutputs[0], later),
		filepath.Join(dir, "app", "more")}
	var told []string
	tell := func(text string) { told = append(told, text) }
	got, results, err := CompileWorkspace(context.Background(), shared, ws, tell)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"compiling core (main)", "compiling app (main)",
		"compiling app (test)"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	var sets []string
	for _, r := range results {
		if r.Err != nil || len(r.Failed) > 0 {
			t.Errorf("%s %s: %v %v", r.Module, r.Set, r.Err, r.Diagnostics)
		}
		sets = append(sets, r.Module+"/"+string(r.Set))
	}
	if s := strings.Join(sets, " "); s != "core/main app/main app/test" {
		t.Errorf("compiled %s", s)
	}
	core, app := got.Module("core"), got.Module("app")
	if app.ClassPath[0] != core.MainOutputs[0] || core.MainOutputs[0] == ws.Module("core").MainOutputs[0] {
		t.Errorf("app is compiled against %q, core is in %q", app.ClassPath, core.MainOutputs)
	}
	if was := ws.Module("core").MainOutputs[0]; app.StandsFor[app.ClassPath[0]] != was {
		t.Errorf("%s stands for %q, want %q", app.ClassPath[0], app.StandsFor[app.ClassPath[0]], was)
	}
	if want := []string{filepath.Join(app.MainOutputs[0], later),
		filepath.Join(dir, "app", "more")}; !slices.Equal(app.Test.AdditionalClassPath, want) {
		t.Errorf("additional class path %q, want %q", app.Test.AdditionalClassPath, want)
	}
	if was := filepath.Join(ws.Module("app").MainOutputs[0],
		later); app.StandsFor[app.Test.AdditionalClassPath[0]] != was {
		t.Errorf("%s stands for %q, want %q", app.Test.AdditionalClassPath[0],
			app.StandsFor[app.Test.AdditionalClassPath[0]], was)
	}
	for _, f := range []string{filepath.Join(core.MainOutputs[0], "c", "C.class"),
		filepath.Join(core.MainOutputs[0], "x.txt"), filepath.Join(app.TestOutputs[0], "a", "T.class")} {
		if !fileExists(f) {
			t.Errorf("%s is missing", f)
		}
	}
	if tree(t, dir) != before {
		t.Error("the workspace was written")
	}
	// The second time nothing is compiled, and nothing is said.
	told = nil
	if _, results, err = CompileWorkspace(context.Background(), shared, ws, tell); err != nil || len(results) != 3 ||
		len(told) > 0 {
		t.Errorf("where all is compiled, told %q; %d sets, %v", told, len(results), err)
	}
	// A changed signature in core breaks both users in app, and says where.
	writeTree(t, dir, map[string]string{"core/src/main/java/c/C.java": "package c; public class C { public static " +
		"int f(int x) { return 1; } }"})
	_, results, err = CompileWorkspace(context.Background(), shared, ws, nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := map[string]int{}
	for _, r := range results {
		failed[r.Module+"/"+string(r.Set)] = len(r.Failed)
	}
	if failed["core/main"] != 0 || failed["app/main"] != 1 || failed["app/test"] != 1 {
		t.Errorf("failed: %v", failed)
	}
	// A module that has no sources but generated ones.
	core = ws.Module("core")
	core.MainSources, core.GeneratedSources = nil, core.MainSources
	if got, _, err = CompileWorkspace(context.Background(), shared, ws, nil); err != nil ||
		got.Module("core").MainOutputs[0] == core.MainOutputs[0] {
		t.Errorf("generated sources are not compiled: %v, %v", err, got.Module("core").MainOutputs)
	}
}

// fetchingMaven is a stand-in for Maven that cannot resolve the project, and fetches what stand-in
// projects want of g:a.
const fetchingMaven = `#!/bin/sh
dir=
for a in "$@"; do case "$a" in */catchlens-tmp-stand-in-*/pom.xml) dir="${a%%/pom.xml}";; esac; done
[ -n "$dir" ] || { echo '[ERROR] neighbours are not built'; exit 1; }
[ -f mvnw ] || { echo '[ERROR] the settings of the wrapper are not here'; exit 1; }
for p in "$dir"/of-*/pom.xml; do
  for v in $(sed -n 's/.*<artifactId>a<.artifactId><version>\([0-9]*\)<.*/\1/p' "$p"); do
    mkdir -p "%[1]s/g/a/$v"; echo "<project><groupId>g</groupId><artifactId>a</artifactId><version>$v</version></project>" > "%[1]s/g/a/$v/a-$v.pom"
    : > "%[1]s/g/a/$v/a-$v.jar"
  done
done
grep -q '<artifactId>gone<' "$dir"/of-*/pom.xml && { echo '[ERROR] g:gone cannot be had'; exit 1; }
exit 0
`

// Modules that want different versions of an artifact get them, and what cannot be had for one of
// them keeps nothing from the others.
func TestResolveMavenStandIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Maven is a shell script")
	}
	dependency := func(artifact, version string) string {
		return "<dependency><groupId>g</groupId><artifactId>" + artifact + "</artifactId><version>" + version +
			"</version></dependency>"
	}
	dir := writeTree(t, t.TempDir(), map[string]string{
		"pom.xml": `<project><groupId>m</groupId><artifactId>root</artifactId><version>1</version><packaging>pom</packaging>` +
			`<modules><module>one</module><module>two</module><module>three</module></modules></project>`,
		"one/pom.xml":              modulePom("one", dependency("a", "1")),
		"two/pom.xml":              modulePom("two", dependency("a", "2")),
		"three/pom.xml":            modulePom("three", dependency("a", "1")+dependency("gone", "1")),
		"one/src/main/java/A.java": "", "two/src/main/java/A.java": "", "three/src/main/java/A.java": "",
	})
	ws, opt := openWorkspace(t, dir)
	writeTree(t, dir, map[string]string{"mvnw": fmt.Sprintf(fetchingMaven,
		filepath.Join(opt.Open.Home, ".m2", "repository"))})
	got, err := Resolve(context.Background(), ws, opt)
	if err == nil || !strings.Contains(err.Error(), "of three:") ||
		!strings.Contains(err.Error(), "g:gone cannot be had") {
		t.Errorf("error %v", err)
	}
	for name, want := range map[string]string{"one": "a-1.jar", "two": "a-2.jar", "three": "a-1.jar"} {
		m := got.Module(name)
		if m.ClassPathComplete != (name != "three") || len(m.ClassPath) != 1 || filepath.Base(m.ClassPath[0]) != want {
			t.Errorf("%s: complete %v, class path %v", name, m.ClassPathComplete, m.ClassPath)
		}
	}
}

// Of what a build tool prints, what it downloads is worth a word: that takes time.
func TestDownloadedIsProgress(t *testing.T) {
	for line, want := range map[string]string{
		"Downloading from central: https://host/maven2/org/x/x-api/1.2/x-api-1.2.pom":        "x-api-1.2.pom",
		"[INFO] Downloading from central: https://host/maven2/org/x/x-api/1.2/x-api-1.2.jar": "x-api-1.2.jar",
		"Download https://host/dist/gradle-8.5-bin.zip":                                      "gradle-8.5-bin.zip",
		"Downloaded from central: https://host/maven2/org/x/x-api/1.2/x-api-1.2.pom (3 kB)":  "",
		"[INFO] Scanning for projects...":                                                    "",
		"[INFO] Wrote classpath file '/tmp/x/example/filedrop.path'.":                        "",
		"> Task :compileJava": "",
	} {
		if got := downloaded(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
