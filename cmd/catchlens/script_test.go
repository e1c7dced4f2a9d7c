package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/internal/testschema"
)

func TestMain(m *testing.M) {
	sandbox.MaybeRunAsHelper()
	if os.Getenv("CATCHLENS_TEST_BLOCKED") != "" {
		blocked()
		os.Exit(0)
	}
	if os.Getenv("CATCHLENS_TEST_COMMAND") != "" {
		os.Exit(run(os.Args[1:]))
	}
	testscript.Main(m, map[string]func(){"catchlens": func() { os.Exit(run(os.Args[1:])) }})
}

// blocked is a command that has not noticed yet that it is to end.
func blocked() {
	how := os.Getenv("CATCHLENS_TEST_BLOCKED")
	if how != "for a while" {
		endGrace = oneRequest
	}
	ctx, stop := untilSignal()
	defer stop()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("cancelled")
	if how == "to report" || how == "after its report" {
		_, reported := liftGrace(ctx)
		time.Sleep(3 * endGrace)
		fmt.Println("reported")
		if reported(); how == "to report" {
			return
		}
	}
	time.Sleep(oneRequest / 2)
	fmt.Println("keeps what was done")
	time.Sleep(time.Minute)
}

// Each script is a user at a terminal: a workspace, commands, and what they
// print and how they end.
func TestScripts(t *testing.T) { runScripts(t, "testdata") }

func runScripts(t *testing.T, dir string) {
	t.Helper()
	jdk := testjdk.JDK(t, 17)
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("JAVA_HOME", jdk)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// javac OUT FILE...: compiles; jars among the files are its class path.
			"javac": func(ts *testscript.TestScript, _ bool, args []string) {
				var files, jars []string
				for _, f := range args[1:] {
					if filepath.Ext(f) == ".jar" {
						jars = append(jars, ts.MkAbs(f))
					} else {
						files = append(files, ts.MkAbs(f))
					}
				}
				testjdk.Javac(t, jdk, 17, jars, ts.MkAbs(args[0]), files...)
			},
			// jars DIR COORDINATES...: puts artifacts into a folder.
			"jars": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, c := range args[1:] {
					jar := testjdk.Artifact(t, c)
					data, err := os.ReadFile(jar)
					ts.Check(err)
					ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
					ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), filepath.Base(jar)), data, 0o644))
				}
			},
			// faultapi JAR CLASSPATH...: compiles the artifact for applications' tests.
			"faultapi": func(ts *testscript.TestScript, _ bool, args []string) {
				root, err := testjdk.RepositoryRoot()
				ts.Check(err)
				files, err := filepath.Glob(filepath.Join(root, "fault-api/src/main/java/catchlens/fault/*.java"))
				ts.Check(err)
				var jars []string
				for _, c := range args[1:] {
					jars = append(jars, testjdk.Artifact(t, c))
				}
				classes := t.TempDir()
				testjdk.Javac(t, jdk, 8, jars, classes, files...)
				ts.Check(ts.Exec(testjdk.Tool(jdk, "jar"), "--create", "--file", ts.MkAbs(args[0]), "-C", classes, "."))
			},
			// newer FILE...: makes files newer than all others.
			"newer": func(ts *testscript.TestScript, _ bool, args []string) {
				later := time.Now().Add(2 * time.Second)
				for _, f := range args {
					ts.Check(os.Chtimes(ts.MkAbs(f), later, later))
				}
			},
			// truncate FILE N: leaves the first N bytes.
			"truncate": func(ts *testscript.TestScript, _ bool, args []string) {
				data, err := os.ReadFile(ts.MkAbs(args[0]))
				ts.Check(err)
				n := 0
				for _, c := range args[1] {
					n = n*10 + int(c-'0')
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), data[:n], 0o644))
			},
			// pipes FILE...: makes named pipes.
			"pipes": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, f := range args {
					ts.Check(exec.Command("mkfifo", ts.MkAbs(f)).Run())
				}
			},
			// validates SCHEMA FILE: the file is what that schema says.
			"validates": func(ts *testscript.TestScript, _ bool, args []string) {
				load := map[string]func() *testschema.Schema{
					"report": func() *testschema.Schema { return testschema.LoadStrict(t, testschema.Report) },
					"chains": func() *testschema.Schema { return testschema.LoadStrict(t, testschema.Chains) },
					"tested-chains": func() *testschema.Schema {
						return testschema.LoadStrict(t, testschema.TestedChains)
					},
					"sarif": func() *testschema.Schema { return testschema.Load(t, testschema.SARIF) },
				}[args[0]]
				if problems := load().ProblemsOf([]byte(ts.ReadFile(args[1]))); len(problems) > 0 {
					ts.Fatalf("%s is no %s:\n%s", args[1], args[0], strings.Join(problems, "\n"))
				}
			},
			// shows FILE TEXT...: the file holds each text and no control character.
			"shows": func(ts *testscript.TestScript, _ bool, args []string) {
				data := ts.ReadFile(args[0])
				for _, want := range args[1:] {
					if !strings.Contains(data, want) {
						ts.Fatalf("%s does not show %q:\n%s", filepath.Base(args[0]), want, data)
					}
				}
				if strings.ContainsAny(data, "\x1b\x00\x07") {
					ts.Fatalf("%s has control characters", args[0])
				}
			},
		},
	})
}
