package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testfiles"
)

func TestJDKs(t *testing.T) {
	base := t.TempDir()
	j8, j17, j25 := testfiles.JDK(t, base, "1.8.0_392", true), testfiles.JDK(t, base, "17.0.1",
		true), testfiles.JDK(t, base, "25", true)
	jre := testfiles.JDK(t, base, "21.0.2", false)
	home := t.TempDir()
	opt := Options{Home: home, JDKs: []string{j8, j25, jre, filepath.Join(base, "none")}, Env: func(k string) string {
		if k == "JAVA_HOME" {
			return j17
		}
		return ""
	}}
	all := FindJDKs(opt)
	if len(all) < 4 || all[0].Home != j17 || all[0].Feature != 17 || all[0].FoundBy != "JAVA_HOME" ||
		!all[0].HasCompiler {
		t.Fatalf("%+v", all)
	}
	all = all[:0:0]
	for _, h := range []string{j17, j8, j25, jre} {
		j, err := ProbeJDK(h)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	for _, c := range []struct {
		wish JDKWish
		want string
		says string
	}{
		{JDKWish{}, j17, ""}, {JDKWish{Release: 11}, j17, ""}, {JDKWish{Release: 21}, j25, ""},
		{JDKWish{Runs: 21}, j25, ""}, {JDKWish{Runs: 5}, j17, ""}, {JDKWish{Runs: 99}, j17, "JDK for Java 99"},
		{JDKWish{Release: 5}, j8, ""},
		{JDKWish{Exact: "[8,9)"}, j17, "none was found"}, {JDKWish{Exact: "9", Optional: true}, j17, ""},
		{JDKWish{Exact: "25", Optional: true}, j25, ""}, {JDKWish{Exact: "9", Optional: true, Release: 21}, j25, ""},
		{JDKWish{Exact: "25"}, j25, ""},
		{JDKWish{override: "1.8"}, j8, ""},
		{JDKWish{override: j25}, j25, ""}, {JDKWish{override: "/no/jdk"}, j17, "no/jdk"},
		{JDKWish{Release: 99}, j17, "JDK for Java 99"},
	} {
		j, problems := chooseJDK(all, c.wish, base, opt)
		if j.Home != c.want {
			t.Errorf("%+v: %s, want %s", c.wish, j.Home, c.want)
		}
		if c.says == "" && len(problems) > 0 ||
			c.says != "" && (len(problems) == 0 || !strings.Contains(problems[0].Message, c.says)) {
			t.Errorf("%+v: problems %v", c.wish, problems)
		}
	}
	if _, problems := chooseJDK(nil, JDKWish{File: "f"}, base, opt); len(problems) != 1 ||
		problems[0].Severity != Error {
		t.Errorf("without any JDK: %v", problems)
	}
	for v, want := range map[string]int{"1.8.0_392": 8, "17.0.15": 17, "17-ea": 17, "25": 25, "": 0, "x": 0, "1.8": 8,
		"99999999999999999999": 0} {
		if got := FeatureOf(v); got != want {
			t.Errorf("featureOf(%q) = %d, want %d", v, got, want)
		}
	}
}
