package faults

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `{"catches": [
 {"id": "a", "file": "A.java", "line": 1, "links": [
  {"throwSite": {"class": "java.io.FileInputStream", "method": "readBytes([BII)I", "kind": "native"}, "predicted": true, "outcome": "experienced", "experiencedBy": ["fault"]},
  {"throwSite": {"class": "java.io.FileInputStream", "method": "readBytes([BII)I", "kind": "native"}, "predicted": true, "outcome": "masked"},
  {"throwSite": {"class": "java.io.FileInputStream", "method": "open0(Ljava/lang/String;)V", "kind": "native"}, "predicted": true, "outcome": "not-reached"},
  {"throwSite": {"class": "sun.nio.ch.NioSocketImpl", "method": "implRead([BII)I", "kind": "explicit"}, "predicted": true, "outcome": "experienced", "experiencedBy": ["baseline", "fault"]},
  {"throwSite": {"class": "a.A", "method": "check()V", "kind": "explicit"}, "predicted": true, "outcome": "unknown"},
  {"throwSite": {"class": "a.A", "method": "other()V", "kind": "explicit"}, "predicted": false, "outcome": "experienced", "experiencedBy": ["baseline"]}]},
 {"id": "b", "file": "B.java", "line": 1, "links": [
  {"throwSite": {"class": "java.io.FileInputStream", "method": "open0(Ljava/lang/String;)V", "kind": "native"}, "predicted": true, "outcome": "no-test",
   "userVerdict": {"infeasible": true, "reason": "never"}}]},
 {"id": "t", "inTests": true, "links": [
  {"throwSite": {"class": "java.io.FileInputStream", "method": "open0(Ljava/lang/String;)V", "kind": "native"}, "predicted": true, "outcome": "experienced"}]}]}`

// Links are counted by throw site, operations by method; catches in tests by neither.
func TestCount(t *testing.T) {
	var r result
	if err := json.Unmarshal([]byte(sample), &r); err != nil {
		t.Fatal(err)
	}
	want := counts{catches: 2, links: ratio{2, 6}, baseline: 1, native: ratio{1, 4}, judged: ratio{1, 3},
		explicit:   ratio{1, 2},
		operations: ratio{2, 4}, entered: ratio{2, 3}, unpredicted: 1}
	if got := count(&r); got != want {
		t.Errorf("%+v instead of %+v", got, want)
	}
	if got := outcomes(&r); got != "1 experienced, 1 masked, 1 no-test, 1 not-reached" {
		t.Error(got)
	}
}

// Links of a catch with the same reason are one line; what is experienced, explicit or in tests has
// none.
func TestUncovered(t *testing.T) {
	var r result
	err := json.Unmarshal([]byte(`{"catches": [
		{"file": "src/p/C.java", "line": 7, "links": [
			{"throwSite": {"class": "java.io.FileInputStream", "method": "read0()I", "kind": "native"}, "predicted": true, "outcome": "not-reached", "where": "p.q.C.open(I)V",
				"chain": [{"class": "p.q.C", "method": "open(I)V"}, {"class": "java.io.FileInputStream", "method": "read()I"}, {"class": "java.io.FileInputStream", "method": "read0()I"}]},
			{"throwSite": {"class": "java.io.FileInputStream", "method": "skip0(J)J", "kind": "native"}, "predicted": true, "outcome": "not-reached", "where": "p.q.C.open(I)V"},
			{"throwSite": {"class": "java.io.FileInputStream", "method": "open0()V", "kind": "native"}, "predicted": true, "outcome": "experienced"},
			{"throwSite": {"class": "java.io.FileInputStream", "method": "available0()I", "kind": "native"}, "predicted": true, "outcome": "latent", "where": "the test: hang"},
			{"throwSite": {"class": "sun.nio.ch.Net", "method": "poll()V", "kind": "native"}, "predicted": true, "outcome": "masked", "userVerdict": {"infeasible": true, "reason": "nobody waits"}},
			{"throwSite": {"class": "p.C", "method": "m()V", "kind": "explicit"}, "predicted": true, "outcome": "not-reached"}]},
		{"file": "src/p/CTest.java", "line": 9, "inTests": true, "links": [
			{"throwSite": {"class": "java.io.FileInputStream", "method": "read0()I", "kind": "native"}, "predicted": true, "outcome": "masked"}]}]}`), &r)
	if err != nil {
		t.Fatal(err)
	}
	want := "| catch | links from | why not experienced |\n|---|---|---|\n" +
		"| C.java:7 | FileInputStream.read0 | Tests enter the try, and none of those that were looked at runs the " +
		"operation below it; of the shortest chain all ran up to `C.open`, which leads there through " +
		"`FileInputStream.read`. |\n" +
		"| C.java:7 | FileInputStream.skip0 | Tests enter the try, and none of those that were looked at runs the " +
		"operation below it; of the shortest chain all ran up to `C.open`. |\n" +
		"| C.java:7 | FileInputStream.available0 | The fault struck below the try, and the exception came elsewhere: " +
		"the test: hang. |\n" +
		"| C.java:7 | Net.poll | Judged infeasible: nobody waits. |\n"
	if got := table(uncoveredGroups(&r)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Each workload of a program is measured with those before it, and told of in the program's README.
func TestNames(t *testing.T) {
	workloads, err := filepath.Glob("programs/*/workload*")
	if err != nil || len(workloads) < 20 {
		t.Fatalf("%d workloads: %v", len(workloads), err)
	}
	var want []string
	for _, folder := range workloads {
		program := filepath.Base(filepath.Dir(folder))
		number := strings.TrimPrefix(filepath.Base(folder), "workload")
		name := program
		if number != "1" {
			name += "-" + number
		}
		want = append(want, name)
		readme, err := os.ReadFile(filepath.Join("programs", program, "README.md"))
		if err != nil || !strings.Contains(string(readme), "\n| "+number+" | ") {
			t.Errorf("%s: not told of in the program's README (%v)", folder, err)
		}
	}
	var have []string
	for _, name := range names {
		if !strings.HasSuffix(name, "-own") {
			have = append(have, name)
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("measured: %q\nworkloads: %q", have, want)
	}
}
