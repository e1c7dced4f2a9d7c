//go:build slow

package session_test

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// twoModules lays out a Maven workspace whose module tests has the tests of the module core,
// which has another environment: no library. The build has compiled core.
func twoModules(t *testing.T) string {
	t.Helper()
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	dir := t.TempDir()
	module := func(name, dependencies string) {
		scratch.Write(t, filepath.Join(dir, name, "pom.xml"), `<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>two</groupId><artifactId>two</artifactId><version>1</version></parent>
<artifactId>`+name+`</artifactId><dependencies>`+dependencies+`</dependencies></project>`)
	}
	scratch.Write(t, filepath.Join(dir, "pom.xml"), `<project><modelVersion>4.0.0</modelVersion>
<groupId>two</groupId><artifactId>two</artifactId><version>1</version><packaging>pom</packaging>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target></properties>
<modules><module>core</module><module>tests</module></modules></project>`)
	module("core", "")
	module("tests", `<dependency><groupId>two</groupId><artifactId>core</artifactId><version>1</version></dependency>
<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>`)
	scratch.Write(t, filepath.Join(dir, "core", "src", "main", "java", "core", "Parse.java"), `package core;
public class Parse {
    public static int of(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
`)
	scratch.Write(t, filepath.Join(dir, "core", "src", "main", "java", "core", "Other.java"),
		"package core;\npublic class Other {\n    int one() {\n        return 1;\n    }\n}\n")
	sources, err := filepath.Glob(filepath.Join(dir, "core", "src", "main", "java", "core", "*.java"))
	if err != nil {
		t.Fatal(err)
	}
	// as the build does
	testjdk.Javac(t, testjdk.JDK(t, 17), 8, nil, filepath.Join(dir, "core", "target", "classes"), sources...)
	scratch.Write(t, filepath.Join(dir, "tests", "src", "test", "java", "tests", "ParseTest.java"), `package tests;
import org.junit.Assert;
import org.junit.Test;
public class ParseTest {
    @Test public void number() { Assert.assertEquals(7, core.Parse.of("7")); }
    @Test public void none() { Assert.assertEquals(-1, core.Parse.of("x")); }
}
`)
	return dir
}

// What tests of another module showed of a catch is stale after an edit of it, and not any more
// once they ran again; nor is it after edits elsewhere, though the module is compiled here then.
func TestTestsOfAnotherModule(t *testing.T) {
	dir := twoModules(t)
	s := open(t, dir, scratch.CacheDir(t), true)
	check := func(when string, stale bool) {
		t.Helper()
		v := s.View()
		if len(v.Snap.Catches) != 1 {
			t.Fatalf("%s: %d catches", when, len(v.Snap.Catches))
		}
		c := v.Snap.Catches[0]
		st := v.Results.ByCatch[c.ID]
		if len(st.Tests) != 2 || len(st.Matrix) != 2 || v.Stale(c) != stale || st.Stale != stale {
			t.Errorf("%s: tests %q, %d injected runs, stale %v, want %v", when, st.Tests, len(st.Matrix), st.Stale,
				stale)
		}
	}
	run(t, s)
	check("after the first run", false)
	replaceIn(t, filepath.Join(dir, "core", "src", "main", "java", "core", "Other.java"), "return 1", "return 2")
	reload(t, s)
	check("after an edit of another class of its module", false)
	file := filepath.Join(dir, "core", "src", "main", "java", "core", "Parse.java")
	replaceIn(t, file, "return -1", "return 0 - 1 * text.indexOf(text.trim()) - 1")
	reload(t, s)
	check("after an edit", true)
	run(t, s)
	check("after the second run", false)
}
