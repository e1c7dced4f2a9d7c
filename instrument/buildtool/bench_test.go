package buildtool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// BenchmarkCompile measures the compiler on the main sources of examples/filedrop:
// all of them in a JVM that has to start, and then one changed file of the same
// JVM again and again. The figures of doc.go are its.
func BenchmarkCompile(b *testing.B) {
	src := filepath.Join(b.TempDir(), "src")
	if err := os.CopyFS(src, os.DirFS(filepath.Join("..", "..", "examples", "filedrop", "src", "main",
		"java"))); err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(src, "filedrop", "Settings.java")
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	m := ModuleCompile{Key: src, JDKHome: testjdk.JDK(b, 17), JDKFeature: 17, SourceRoots: []string{src}, Release: 17,
		ReleaseIsFlag: true}
	compile := func(b *testing.B, c *Compiler, want int) time.Duration {
		started := time.Now()
		r, err := c.Compile(context.Background(), m)
		took := time.Since(started)
		if err != nil || len(r.Compiled) != want || len(r.Failed) > 0 {
			b.Fatalf("compiled %q, failed %q, %v", r.Compiled, r.Failed, err)
		}
		return took
	}
	all, err := filepath.Glob(filepath.Join(src, "filedrop", "*.java"))
	if err != nil || len(all) == 0 {
		b.Fatalf("%v: no sources", err)
	}
	b.Run("all in a new JVM", func(b *testing.B) {
		var cpu time.Duration
		for i := 0; i < b.N; i++ {
			b.StopTimer()
			c := NewCompiler(CompilerOptions{CacheDir: b.TempDir()})
			b.StartTimer()
			compile(b, c, len(all))
			b.StopTimer()
			cpu += childrenCPU()
			c.Close()
		}
		b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
	})
	c := NewCompiler(CompilerOptions{CacheDir: b.TempDir()})
	defer c.Close()
	compile(b, c, len(all))
	edits := 0
	edit := func(b *testing.B) time.Duration { // the body of one method: nothing that others can see
		edits++
		body := fmt.Sprintf("duration.toMillis();\n            assert %d > 0;", edits)
		if err := os.WriteFile(file, bytes.Replace(text, []byte("duration.toMillis();"), []byte(body), 1),
			0o666); err != nil {
			b.Fatal(err)
		}
		return compile(b, c, 1)
	}
	b.Logf("the first changed file of a JVM: %v", edit(b))
	for range 20 {
		edit(b)
	}
	b.Run("one changed file, warm", func(b *testing.B) {
		before := childrenCPU()
		for i := 0; i < b.N; i++ {
			edit(b)
		}
		b.ReportMetric(float64((childrenCPU()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
	})
}

// childrenCPU is the processor time that the running children of this process have
// used, where /proc tells; a busy machine stretches wall time, not this. A tick of
// /proc is 10 ms.
func childrenCPU() (sum time.Duration) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, l := range lists {
		pids, _ := os.ReadFile(l)
		for _, pid := range strings.Fields(string(pids)) {
			stat, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
			fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // from field 3 on
			if len(fields) > 12 {
				user, _ := strconv.Atoi(fields[11])
				system, _ := strconv.Atoi(fields[12])
				sum += time.Duration(user+system) * 10 * time.Millisecond
			}
		}
	}
	return sum
}
