package peers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// This file runs Spark.

// newSpark compiles what starts Spark.
func newSpark(ctx context.Context, in *input, jars string) (*peer, error) {
	p := &peer{name: "Spark", in: in, files: "spark", ownTime: sparkTime, result: sparkResult}
	src, err := source("bench/peers/java/RunSpark.java")
	if err != nil {
		return nil, err
	}
	starter := filepath.Join(in.dir, "spark-starter")
	if err := os.MkdirAll(starter, 0o755); err != nil {
		return nil, err
	}
	if _, err := tool(ctx, "javac", "-nowarn", "-proc:none", "-d", starter, "-cp", filepath.Join(jars, "*"),
		src); err != nil {
		return nil, err
	}
	p.java = []string{"-cp", starter + string(os.PathListSeparator) + filepath.Join(jars, "*"), "RunSpark", p.out(),
		mainClass, in.driver, in.classPath()}
	return p, nil
}

func sparkTime(p *peer) (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(p.out(), "time.txt"))
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return time.Duration(seconds * float64(time.Second)), err
}

func sparkResult(p *peer) (*result, error) {
	r := newResult()
	if err := lines(filepath.Join(p.out(), "methods.txt"), r.method); err != nil {
		return nil, err
	}
	var bad error
	err := lines(filepath.Join(p.out(), "edges.txt"), func(line string) {
		from, to, ok := strings.Cut(line, "\t")
		if !ok {
			bad = fmt.Errorf("edges.txt: %q is no edge", line)
			return
		}
		r.edge(from, to)
	})
	if err == nil {
		err = bad
	}
	return r, err
}
