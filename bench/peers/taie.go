package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file runs Tai-e.

func newTaie(in *input, jars string) *peer {
	p := &peer{name: "Tai-e ci", in: in, files: "tai-e", ownTime: taieTime, result: taieResult}
	p.java = []string{"-cp", filepath.Join(jars, "*"), "pascal.taie.Main",
		"-pp", "-ap", "-acp", in.driver, "-m", mainClass, "--output-dir", p.out(),
		"-a", "pta=cs:ci;handle-invokedynamic:true;implicit-entries:true;reflection-inference:string-constant",
		"-a", "cg=algorithm:pta;dump-methods:true;dump-call-edges:true"}
	for _, e := range in.path {
		p.java = append(p.java, "-cp", e)
	}
	return p
}

var elapsed = regexp.MustCompile(`\[pta\] elapsed time: ([0-9.]+)s`)

// taieTime reads from its log how long the pointer analysis took.
func taieTime(p *peer) (time.Duration, error) {
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

func taieResult(p *peer) (*result, error) {
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
