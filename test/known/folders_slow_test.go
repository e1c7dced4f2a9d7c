//go:build slow

package known

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

const foldersTest = `package p;

import static org.junit.jupiter.api.Assertions.*;

import java.io.File;
import org.junit.jupiter.api.Test;

class InvocationsTest {
    private static File folder(Class<?> c) throws Exception {
        return new File(c.getProtectionDomain().getCodeSource().getLocation().toURI()).getCanonicalFile();
    }
    @Test void sameAsByRelativePaths() throws Exception {
        assertEquals(new File("out/main").getCanonicalFile(), folder(Invocations.class));
        assertEquals(new File("out/test").getCanonicalFile(), folder(InvocationsTest.class));
        assertTrue(new File("out/main/p/Invocations.class").isFile());
    }
    @Test void writesBesideClasses() throws Exception {
        assertTrue(new File(folder(InvocationsTest.class), "made.txt").createNewFile());
        assertEquals(-1, Invocations.number("x"));
    }
}
`

// Tests find the class folders where the build has them, in the working copy, and may write there:
// those of the build, and after an edit those that were compiled instead.
func TestClassFolders(t *testing.T) {
	dir := jupiterProject(t, "Invocations", invocationsMain, foldersTest, "")
	for _, what := range []string{"built", "edited"} {
		v, sum := campaignIn(t, dir, session.Scope{})
		if sum.Passed != 2 {
			t.Errorf("%s: %d tests pass: %+v", what, sum.Passed, v.Results.Undecided)
		}
		if ours := len(v.Snap.Workspace.Modules[0].StandsFor); (ours == 2) != (what == "edited") {
			t.Errorf("%s: %d class folders are ours", what, ours)
		}
		scratch.Write(t, filepath.Join(dir, "src/p/Invocations.java"),
			strings.Replace(invocationsMain, "return -1", "return -2 + 1", 1))
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "out/*/made.txt")); len(made) > 0 {
		t.Errorf("tests have made %v", made)
	}
}
