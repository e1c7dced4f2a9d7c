package buildtool

import (
	"archive/zip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// processorSource is an annotation processor that writes a class for each
// annotated one, prints, reads standard input, and exits where a class is
// called Exit; where one is called Oom, it takes all memory of a small JVM.
const processorSource = `package proc;
import java.io.*;
import java.util.*;
import javax.annotation.processing.*;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.*;
@SupportedAnnotationTypes("*")
public class Gen extends AbstractProcessor {
    public SourceVersion getSupportedSourceVersion() { return SourceVersion.latest(); }
    public boolean process(Set<? extends TypeElement> a, RoundEnvironment env) {
        System.out.println("printed by a processor");
        try { if (System.in.read() != -1) throw new IllegalStateException("standard input is not empty"); } catch (IOException e) { throw new UncheckedIOException(e); }
        for (Element e : env.getRootElements()) {
            String n = e.getSimpleName().toString();
            if (n.equals("Exit")) System.exit(7);
            if (n.equals("Oom") && Runtime.getRuntime().maxMemory() < (100 << 20)) {
                List<byte[]> all = new ArrayList<>();
                while (true) all.add(new byte[4 << 20]);
            }
            if (n.equals("Throw")) throw new IllegalStateException("from the processor");
            if (n.endsWith("_") || !n.startsWith("G")) continue;
            try (Writer w = processingEnv.getFiler().createSourceFile("p." + n + "_", e).openWriter()) {
                w.write("package p; public class " + n + "_ { public static int x() { return 1; } }");
            } catch (IOException x) { throw new UncheckedIOException(x); }
        }
        return false;
    }
}
`

// processorJar compiles the processor into a jar that announces it.
func processorJar(t *testing.T, home string) string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "Gen.java")
	if err := os.WriteFile(src, []byte(processorSource), 0o666); err != nil {
		t.Fatal(err)
	}
	classes := filepath.Join(dir, "classes")
	testjdk.Javac(t, home, 0, nil, classes, src)
	jar := filepath.Join(dir, "gen.jar")
	f, err := os.Create(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	class, err := os.ReadFile(filepath.Join(classes, "proc", "Gen.class"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"proc/Gen.class": class,
		processorService: []byte("# generator\nproc.Gen # comment\n")} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return jar
}

func TestAnnotationProcessors(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"p/G.java": "package p; class G {}",
		"p/U.java": "package p; class U { int u() { return G_.x(); } }"})
	f.m.ClassPath = []string{processorJar(t, f.m.JDKHome)}
	r := f.compile()
	f.want(r, "p/G p/U", "")
	if got := f.classes(); got != "p/G.class p/G_.class p/U.class" {
		t.Errorf("classes %q; %v", got, r.Diagnostics)
	}
	// A processor may look at everything: everything is compiled again.
	f.write("p/U.java", "package p; class U { int u() { return G_.x() + 1; } }")
	f.want(f.compile(), "p/G p/U", "")
	// JDK 23 and later run no processors that nobody named.
	if (&job{m: ModuleCompile{ClassPath: f.m.ClassPath, JDKFeature: 25}}).processing() {
		t.Error("JDK 25 would process")
	}
	f.m.Proc = "none"
	r = f.compile()
	f.want(r, "p/G", "p/U")

	// A processor that throws is an error with its words; one that exits ends
	// the JVM, is said, and the next compilation works.
	f.m.Proc = ""
	f.write("p/Throw.java", "package p; class Throw {}")
	r = f.compile()
	if len(r.Diagnostics) == 0 || !strings.Contains(r.Diagnostics[0].Message, "from the processor") {
		t.Errorf("diagnostics %v", r.Diagnostics)
	}
	if err := os.Rename(f.path("p/Throw.java"), f.path("p/Exit.java")); err != nil {
		t.Fatal(err)
	}
	f.write("p/Exit.java", "package p; class Exit {}")
	if _, err := f.c.Compile(context.Background(), f.m); err == nil ||
		!strings.Contains(err.Error(), errCompilerDied.Error()) {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(f.path("p/Exit.java")); err != nil {
		t.Fatal(err)
	}
	r = f.compile()
	f.want(r, "p/G p/U", "")
}

// TestOptions compiles with what builds set beside the usual.
func TestOptions(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"p/A.java": "package p; class A { java.util.List l = null; }",
		"module-info.java": "module m { requires java.sql; }"})
	f.m.Args = []string{"-Werror", "-Xlint:all", "-d", "/nowhere", "-verbose", "--module-path", "x", "-J-Xmx1m",
		"-classpath", "y"}
	r := f.compile()
	f.want(r, "p/A", "")
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Severity != workspace.Warning ||
		!strings.Contains(r.Diagnostics[0].Code, "raw") {
		t.Errorf("diagnostics %+v, want the warning about a raw type", r.Diagnostics)
	}
	f.m.Args = []string{"--no-such-option"}
	r = f.compile()
	if len(r.Failed) != 1 || len(r.Diagnostics) == 0 || !strings.Contains(r.Diagnostics[0].Message, "no-such-option") {
		t.Errorf("failed %q, diagnostics %v", r.Failed, r.Diagnostics)
	}
	if !strings.Contains(f.classes(), "p/A.class") {
		t.Error("the last good class is gone")
	}
}

// TestHostileSources: each ends in a diagnostic, and the compiler lives on.
func TestHostileSources(t *testing.T) {
	f := newFixture(t, 17, map[string]string{
		"p/Ok.java":    "package p; class Ok {}",
		"p/Nul.java":   "\x00\x01\x02",
		"p/Bad.java":   "package p; class Bad { String s = \"\xff\xfe\"; }",
		"p/Cut.java":   "package p; class Cut { void m() { /* ",
		"p/Empty.java": "",
		"p/Deep.java": "package p; class Deep { int x = " + strings.Repeat("(", 20000) + "1" +
			strings.Repeat(")", 20000) + "; }",
	})
	r := f.compile()
	got := strings.Join(r.Failed, " ")
	for _, bad := range []string{"Nul", "Cut"} {
		if !strings.Contains(got, bad) {
			t.Errorf("%s does not fail: %q", bad, got)
		}
	}
	if err := os.Remove(f.path("p/Deep.java")); err != nil {
		t.Fatal(err)
	}
	r = f.compile()
	if !strings.Contains(f.classes(), "p/Ok.class") || strings.Contains(strings.Join(r.Failed, " "), "Ok") {
		t.Errorf("Ok has no class: %s, failed %q, %v", f.classes(), r.Failed, r.Diagnostics)
	}
	if len(r.Diagnostics) == 0 {
		t.Error("no diagnostics")
	}
}
