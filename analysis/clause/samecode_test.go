package clause_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/javasource"
)

// sameSource has methods with two clauses of one try. The name tells whether they do the same.
const sameSource = `package p;
import java.io.*;
public class Same {
    static int f; static Object g;
    static void call(int n) throws IOException, InterruptedException {
        if (n > 0) throw new IOException(); if (n < 0) throw new InterruptedException();
    }
    static void sameEmpty(int n) {
        try { call(n); } catch (IOException e) { } catch (InterruptedException e) { }
        f = 1;
    }
    static boolean sameReturned(int n) {
        try { call(n); return true; } catch (IOException e) { return false; }
        catch (InterruptedException x) { return false; }
    }
    static int sameSet(int n) {
        int x = 1;
        try { call(n); } catch (IOException e) { x = n; } catch (InterruptedException e) { x = n; }
        return x;
    }
    static int sameInLoop(int n) {
        int x = n;
        while (x > 0) {
            try { call(n); x += 2; } catch (IOException e) { x -= 2; continue; }
            catch (InterruptedException e) { x -= 2; continue; }
            x++;
        }
        return x;
    }
    static void otherStatic(int n) {
        try { call(n); } catch (IOException e) { f = n; } catch (InterruptedException e) { f = n; }
    }
    static int otherConstant(int n) {
        try { call(n); return 0; } catch (IOException e) { return 1; } catch (InterruptedException e) { return 2; }
    }
    static int otherValue(int n, int k) {
        int x = 1;
        try { call(n); } catch (IOException e) { x = n; } catch (InterruptedException e) { x = k; }
        return x;
    }
    static int otherEnd(int n) {
        try { call(n); return 0; } catch (IOException e) { return 1; } catch (InterruptedException e) { }
        return f;
    }
    static void otherCode(int n) {
        try { call(n); } catch (IOException e) { } catch (InterruptedException e) { f = 1; }
    }
    static int otherOrder(int a, int b) {
        int x = 0;
        try { call(a); } catch (IOException e) { x = a - b; } catch (InterruptedException e) { x = b - a; }
        return x;
    }
    static Exception otherLooks(int n) {
        try { call(n); return null; } catch (IOException e) { return e; } catch (InterruptedException e) { return e; }
    }
    static void otherKeeps(int n) {
        try { call(n); } catch (IOException e) { g = e; } catch (InterruptedException e) { g = e; }
    }
    static Object otherMerged(int n) {
        Exception seen = null;
        try { call(n); } catch (IOException e) { seen = e; } catch (InterruptedException e) { seen = e; }
        return seen;
    }
    static void otherThrows(int n) {
        try { call(n); } catch (IOException e) { throw new IllegalStateException(); }
        catch (InterruptedException e) { throw new IllegalStateException(); }
    }
    static void otherCalls(int n) {
        try { call(n); } catch (IOException e) { Thread.dumpStack(); }
        catch (InterruptedException e) { Thread.dumpStack(); }
    }
    static void otherBranches(int n) {
        try { call(n); } catch (IOException e) { if (n > 2) f = 1; }
        catch (InterruptedException e) { if (n > 2) f = 1; }
    }
    static void otherTry(int n) throws Exception {
        try { call(n); } catch (IOException e) { }
        try { call(n); } catch (InterruptedException e) { } catch (IOException e) { }
    }
    static void otherInner(int n) throws IOException {
        try { try { call(n); } catch (InterruptedException e) { } f = 1; } catch (IOException e) { }
    }
}
`

// Two clauses are one question only where no run can tell them apart.
func TestSame(t *testing.T) {
	for _, c := range compilations {
		file := filepath.Join(t.TempDir(), "Same.java")
		if err := os.WriteFile(file, []byte(sameSource), 0o644); err != nil {
			t.Fatal(err)
		}
		p := compileFiles(t, []string{file}, c)
		source := javasource.Parse([]byte(sameSource))
		matches := javasource.Match(source, p.classes)
		pairs := map[string][]clause.Handler{}
		for _, sc := range source.Catches {
			h := matches.Handlers[sc][0]
			name := p.classes[0].Methods[h.Method].Name
			pairs[name] = append(pairs[name], clause.Handler{Class: h.Class, Method: h.Method, Handler: h.Handler})
		}
		if len(pairs) != 18 {
			t.Errorf("%d methods have clauses", len(pairs))
		}
		for name, h := range pairs {
			if got := clause.Same(p.Program, h[0], h[1]); got != (name[:4] == "same") {
				t.Errorf("%s: %s: %v", c.name, name, got)
			}
			if clause.Same(p.Program, h[0], h[1]) != clause.Same(p.Program, h[1], h[0]) {
				t.Errorf("%s: %s: it depends on the order", c.name, name)
			}
		}
	}
}
