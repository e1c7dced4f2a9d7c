//go:build slow

package known

import (
	"maps"
	"testing"
)

const (
	sourcesMain = `package p;

public class Sources {
    static class Gone extends Exception {}
    interface Source { String read() throws Gone; }

    static String readOr(Source s, String instead) {
        try { return s.read(); } catch (Gone e) { // read
            return instead;
        }
    }
}
`
	sourcesTest = `package p;

import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SourcesTest {
    @ParameterizedTest @MethodSource("p.Factory#values()") @EnabledIf("p.Conditions#enabled") void takes(String s) {}
}

class Factory {
    static Stream<String> values() { return Stream.of(Sources.readOr(() -> { throw new Sources.Gone(); }, "a")); }
    static Stream<String> unused() { return Stream.of(Sources.readOr(() -> { throw new Sources.Gone(); }, "b")); }
}

class Conditions {
    static boolean enabled() { return Sources.readOr(() -> { throw new Sources.Gone(); }, "c") != null; }
}
`
)

// Methods that annotations name in other classes run, and only those.
func TestNamedInAnnotations(t *testing.T) {
	dir := jupiterProject(t, "Sources", sourcesMain, sourcesTest, "")
	s := opened(t, dir, 1)
	want := map[string]string{"read": "p.Conditions.lambda$enabled$0 p.Factory.lambda$values$0"}
	if got := predicted(s.View().Snap); !maps.Equal(got, want) {
		t.Errorf("predicted are %q, want %q", got, want)
	}
}
