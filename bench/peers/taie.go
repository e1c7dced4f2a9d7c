package peers

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

// failsTaie are the projects on which it ends in exceptions. A class of which tests of
// commons-lang3 only make arrays is not in its world (isSubclass of null): it gets all classes of
// the tests as input. What names in strings lead to calls MethodHandle.linkToVirtual, to whose one
// parameter it passes what the call has (DefaultIR.getParam): it does not follow them there, and
// has less to do.
var failsTaie = map[string]bool{"commons-lang3": true}

func newTaie(in *input, jars string) (*peer, error) {
	p := &peer{name: "Tai-e ci", in: in, files: "tai-e", ownTime: taieTime, result: taieResult}
	reflection := "string-constant"
	var more []string
	if failsTaie[in.name] {
		p.name = "Tai-e ci without reflection"
		reflection = "null"
		list := filepath.Join(in.dir, "tests.txt")
		if err := os.WriteFile(list, []byte(strings.Join(in.tests, "\n")), 0o644); err != nil {
			return nil, err
		}
		more = []string{"--input-classes", list}
	}
	p.java = []string{"-cp", filepath.Join(jars, "*"), "pascal.taie.Main",
		"-pp", "-ap", "-acp", in.driver, "-m", mainClass, "--output-dir", p.out(),
		"-a", "pta=cs:ci;handle-invokedynamic:true;implicit-entries:true;reflection-inference:" + reflection,
		"-a", "cg=algorithm:pta;dump-methods:true;dump-call-edges:true"}
	p.java = append(p.java, more...)
	for _, e := range in.path {
		p.java = append(p.java, "-cp", e)
	}
	return p, nil
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
