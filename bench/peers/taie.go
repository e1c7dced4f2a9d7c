package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file runs Tai-e.

type taie struct {
	in    *input
	jars  string
	times []time.Duration // of its pointer analysis alone
}

func (p *taie) out() string { return filepath.Join(p.in.dir, "tai-e") }

// run runs it with a heap of so many MB.
func (p *taie) run(ctx context.Context, mb int) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	args := []string{fmt.Sprintf("-Xmx%dm", mb), "-cp", filepath.Join(p.jars, "*"), "pascal.taie.Main",
		"-pp", "-ap", "-acp", p.in.driver, "-m", mainClass, "--output-dir", p.out(),
		"-a", "pta=cs:ci;handle-invokedynamic:true;implicit-entries:true;reflection-inference:string-constant",
		"-a", "cg=algorithm:pta;dump-methods:true;dump-call-edges:true"}
	for _, e := range p.in.path {
		args = append(args, "-cp", e)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(*jdk, "bin", "java"), args...)
	cmd.Dir = p.in.dir
	s, err := measure(ctx, cmd)
	if err == nil {
		var t time.Duration
		if t, err = p.ownTime(); err == nil {
			p.times = append(p.times, t)
		}
	}
	return s, err
}

var elapsed = regexp.MustCompile(`\[pta\] elapsed time: ([0-9.]+)s`)

// ownTime reads from its log how long the pointer analysis took.
func (p *taie) ownTime() (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(p.out(), "tai-e.log"))
	if err != nil {
		return 0, err
	}
	m := elapsed.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("tai-e.log has no time of the pointer analysis")
	}
	seconds, err := strconv.ParseFloat(string(m[1]), 64)
	return time.Duration(seconds * float64(time.Second)), err
}

// solver is the median of the pointer analysis alone.
func (p *taie) solver() time.Duration {
	var s []sample
	for _, t := range p.times {
		s = append(s, sample{wall: t})
	}
	return median(s, wall)
}

// smallestHeap finds, to 128 MB, the smallest heap with which it stays within
// 1.2 of its best processor time, and that run.
func (p *taie) smallestHeap(ctx context.Context, best time.Duration) (int, sample, error) {
	low, high := 0, *largest // low is too small, high serves
	found := sample{cpu: best}
	for high-low > 128 {
		mid := (low + high) / 2 / 64 * 64
		s, err := p.run(ctx, mid)
		if ctx.Err() != nil {
			return 0, found, ctx.Err()
		}
		if err == nil && s.cpu <= best+best/5 {
			high, found, best = mid, s, min(best, s.cpu)
		} else { // too slow, or out of memory
			low = mid
		}
	}
	return high, found, nil
}

// result reads the methods and edges of the last run.
func (p *taie) result() (*result, error) {
	r := newResult()
	err := lines(filepath.Join(p.out(), "reachable-methods.txt"), func(line string) {
		r.method(strings.Trim(line, "<>"))
	})
	if err != nil {
		return nil, err
	}
	// <caller>/callee's name/number TAB <callee>
	err = lines(filepath.Join(p.out(), "call-edges.txt"), func(line string) {
		site, callee, ok := strings.Cut(line, "\t")
		caller, _, found := strings.Cut(site, ")>")
		if ok && found {
			r.edge(strings.TrimPrefix(caller, "<")+")", strings.Trim(callee, "<>"))
		}
	})
	return r, err
}

// lines calls f for every line of a file.
func lines(path string, f func(string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		f(s.Text())
	}
	return s.Err()
}
