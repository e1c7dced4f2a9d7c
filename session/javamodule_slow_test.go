//go:build slow

package session_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// javaModules lays out a Maven workspace of two modules, both Java modules: the tests of lib are
// put into its Java module, as they have none, and checks has one for its tests alone. No build has
// been there.
func javaModules(t *testing.T) string {
	t.Helper()
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	dir := t.TempDir()
	write := func(text string, path ...string) {
		t.Helper()
		scratch.Write(t, filepath.Join(append([]string{dir}, path...)...), text)
	}
	const junit = `<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>`
	for name, dependencies := range map[string]string{"lib": junit,
		"checks": `<dependency><groupId>jm</groupId><artifactId>lib</artifactId><version>1</version></dependency>` +
			junit} {
		write(`<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>jm</groupId><artifactId>jm</artifactId><version>1</version></parent>
<artifactId>`+name+`</artifactId><dependencies>`+dependencies+`</dependencies></project>`, name, "pom.xml")
	}
	write(`<project><modelVersion>4.0.0</modelVersion>
<groupId>jm</groupId><artifactId>jm</artifactId><version>1</version><packaging>pom</packaging>
<properties><maven.compiler.release>17</maven.compiler.release></properties>
<build><pluginManagement><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></pluginManagement></build>
<modules><module>lib</module><module>checks</module></modules></project>`, "pom.xml")
	write("/** What the library shows. */\nmodule jm.lib {\n    exports lib; // not lib.hidden\n    requires static "+
		"java.sql;\n}\n", "lib", "src", "main", "java", "module-info.java")
	write(`package lib.hidden;
class Closed extends Exception {
    private Closed() {}
    static Closed now() { return new Closed(); }
}
`, "lib", "src", "main", "java", "lib", "hidden", "Closed.java")
	write(`package lib.hidden;
public class Door {
    static int tried;
    public static void open(String name) throws Exception {
        tried++;
        if (name.isEmpty()) {
            throw Closed.now();
        }
    }
    public static String pass(String name) {
        try {
            open(name);
            return name;
        } catch (Exception e) {
            return "closed";
        }
    }
    static boolean passable(String name) {
        try {
            open(name);
            return true;
        } catch (Closed e) {
            return false;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
`, "lib", "src", "main", "java", "lib", "hidden", "Door.java")
	write(`package lib;
public class House {
    public static String enter(String name) {
        return lib.hidden.Door.pass(name);
    }
}
`, "lib", "src", "main", "java", "lib", "House.java")
	write(`package lib.hidden;
import static org.junit.Assert.*;
import org.junit.Test;
public class DoorTest {
    @Test public void inTheModule() {
        assertEquals("jm.lib", Door.class.getModule().getName());
        assertSame(Door.class.getModule(), DoorTest.class.getModule());
        assertTrue(Test.class.getModule().toString(), !Test.class.getModule().isNamed());
    }
    @Test public void closed() { assertEquals("closed", Door.pass("")); }
    @Test public void empty() { assertFalse(Door.passable("")); }
    @Test public void itsResource() { assertNotNull(DoorTest.class.getResource("door.txt")); }
}
`, "lib", "src", "test", "java", "lib", "hidden", "DoorTest.java")
	write("of wood\n", "lib", "src", "test", "resources", "lib", "hidden", "door.txt")
	write("module jm.checks {\n    requires jm.lib;\n    requires junit;\n    opens checks to junit;\n}\n", "checks",
		"src", "test", "java", "module-info.java")
	write(`package checks;
import static org.junit.Assert.*;
import org.junit.Test;
public class HouseTest {
    @Test public void open() { assertEquals("front", lib.House.enter("front")); }
    @Test public void keepsItsPackagesToItself() throws Exception {
        assertEquals("jm.checks", HouseTest.class.getModule().getName());
        Class<?> door = Class.forName("lib.hidden.Door");
        try {
            door.getMethod("pass", String.class).invoke(null, "front");
            fail("it does not");
        } catch (IllegalAccessException e) {
            assertTrue(e.getMessage(), e.getMessage().contains("jm.lib"));
        }
    }
}
`, "checks", "src", "test", "java", "checks", "HouseTest.java")
	return dir
}

// Tests run in the Java module that the build runs them in: what happens there is recorded,
// exceptions that the module does not export are made and thrown there, and the verdicts are those
// of fresh JVMs.
func TestJavaModules(t *testing.T) {
	s := open(t, javaModules(t), scratch.CacheDir(t), true)
	sum, err := s.Run(t.Context(), session.Scope{Isolation: "loader", Faults: "off"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := s.View()
	for _, u := range v.Results.Undecided {
		t.Errorf("%s: %s %s", u.Test, u.Outcome, u.Message)
	}
	if n := v.Results.Tests[record.Pass]; n != 6 {
		t.Errorf("%d tests pass", n)
	}
	for _, u := range v.Results.Unpredicted {
		t.Errorf("not predicted: %s", u.Catch.ID)
	}
	ended := map[string]string{}
	thrown := false // of the package that the module keeps to itself
	for _, c := range v.Snap.Catches {
		st := v.Results.ByCatch[c.ID]
		for _, cell := range st.Matrix {
			ended[fmt.Sprintf("%s %s %s", strings.TrimPrefix(c.ID, "lib/hidden/Door."), cell.Type,
				cell.Test)] = fmt.Sprintf("%s %d", cell.Outcome, cell.Fired)
			if !cell.Certain {
				t.Errorf("%s in %s was not alone in a JVM", c.ID, cell.Test)
			}
		}
		for _, l := range st.Links {
			thrown = thrown || l.Baseline
		}
	}
	if want := map[string]string{
		"pass(String)#0 java.lang.Exception checks.HouseTest#open":         "fail 1",
		"pass(String)#0 java.lang.Exception lib.hidden.DoorTest#closed":    "pass 1",
		"passable(String)#0 lib.hidden.Closed lib.hidden.DoorTest#empty":   "pass 1",
		"passable(String)#1 java.lang.Exception lib.hidden.DoorTest#empty": "fail 1",
	}; !maps.Equal(ended, want) {
		t.Errorf("injected runs %v", ended)
	}
	if !thrown {
		t.Error("no link was experienced")
	}
	if all := strings.Join(sum.Notes, "\n"); !strings.Contains(all, "lib: tests run in the Java module jm.lib;") ||
		!strings.Contains(all, "checks: tests run in the Java module jm.checks;") {
		t.Errorf("notes:\n%s", all)
	}
}
