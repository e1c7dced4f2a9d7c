//go:build slow && unix

package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/damage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// damagedRuns are how many times the whole cache is damaged; damagedShare is the share of its files
// each time.
const (
	damagedRuns  = 16
	damagedShare = 6
)

// elapsed are the parts of a report that tell time.
var elapsed = regexp.MustCompile(`"(generated|time|seconds|millis|date|started|ended)[A-Za-z]*": ?("[^"]*"|[0-9.]+)`)

// Whatever is damaged in a cache folder, files of all kinds and several at once, the next run tells
// the same as the first, and ends as it did.
func TestDamagedCache(t *testing.T) {
	jdk := testjdk.JDK(t, 17)
	dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	for name, text := range map[string]string{
		"catchlens.toml": "build = \"plain\"\n[test]\nframework = \"junit4\"\n",
		"src/main/java/p/Port.java": `package p;
public class Port {
    int parse(String s) {
        try { return Integer.parseInt(s); } catch (NumberFormatException e) { return -1; }
    }
    String read(java.io.Reader r) {
        try { return "" + (char) r.read(); } catch (java.io.IOException e) { return "none"; }
    }
}
`,
		"src/test/java/p/PortTest.java": `package p;
public class PortTest {
    @org.junit.Test public void bad() { org.junit.Assert.assertEquals(-1, new Port().parse("x")); }
    @org.junit.Test public void good() { org.junit.Assert.assertEquals(7, new Port().parse("7")); }
    @org.junit.Test public void read() { org.junit.Assert.assertEquals("a", new Port().read(new java.io.StringReader("a"))); }
}
`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	jars := []string{testjdk.Artifact(t, "junit:junit:4.13.2"), testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
	if err := os.WriteFile(filepath.Join(dir, "catchlens.toml"),
		[]byte("build = \"plain\"\nextraClassPath = [\""+strings.Join(jars, "\", \"")+
			"\"]\n[test]\nframework = \"junit4\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, os.Args[0], append(args, dir, "--cache", cache)...)
		c.Env = append(os.Environ(), "CATCHLENS_TEST_COMMAND=1", "JAVA_HOME="+jdk)
		var out, said bytes.Buffer
		c.Stdout, c.Stderr = &out, &said
		if err := c.Run(); err != nil {
			t.Fatalf("%v: %v\n%s\n%s", args, err, out.String(), said.String())
		}
		return elapsed.ReplaceAllString(out.String(), "")
	}
	command("run", "--faults", "off", "--format", "json")
	want := command("run", "--faults", "off", "--format", "json") // one that begins with all that is kept
	if !strings.Contains(want, "independent") {
		t.Fatalf("no verdict:\n%s", want)
	}
	r := rand.New(rand.NewPCG(26, 6))
	kinds := map[string]bool{}
	damaged := 0
	for round := range damagedRuns {
		all, err := damage.Files(cache)
		if err != nil {
			t.Fatal(err)
		}
		var done []string
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, path := range all[:1+len(all)/damagedShare] {
			kind := damage.Kinds[r.IntN(len(damage.Kinds))]
			changed, err := damage.Do(r, slices.DeleteFunc(slices.Clone(all), gone), path, kind)
			if err != nil {
				t.Fatal(err)
			}
			if changed {
				rel, _ := filepath.Rel(cache, path)
				done, damaged = append(done, rel+": "+string(kind)), damaged+1
				kinds[filepath.Ext(path)] = true
			}
		}
		if got := command("run", "--faults", "off", "--format", "json"); got != want {
			t.Fatalf("round %d, after\n%s\nthe report is\n%s\nand was\n%s", round, strings.Join(done, "\n"), got, want)
		}
	}
	t.Logf("%d files of %d kinds were damaged", damaged, len(kinds))
	if damaged < 60 || len(kinds) < 7 {
		t.Errorf("only %d files of %d kinds", damaged, len(kinds))
	}
}

// gone tells whether a path is no regular file any more.
func gone(path string) bool {
	info, err := os.Stat(path)
	return err != nil || !info.Mode().IsRegular()
}
