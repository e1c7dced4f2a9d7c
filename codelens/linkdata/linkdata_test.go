package linkdata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// read is what the script of the page makes of the lines: links by catch and exception.
func read(t rapid.TB, data string) (out []any) {
	var values []any
	value := func(v any) any {
		if n, ok := v.(float64); ok {
			return values[int(n)]
		}
		values = append(values, v)
		return v
	}
	type chain struct {
		before int
		frame  Frame
	}
	var chains []chain
	for line := range strings.Lines(data) {
		var x any
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		a, ok := x.([]any)
		if !ok {
			if c, ok := x.(map[string]any); ok {
				chains, x = []chain{{}}, "catch "+c["catch"].(string)
			}
			out = append(out, x)
			continue
		}
		how := value(a[0]).([]any)
		l := Link{Class: how[0].(string), Status: how[1].(string), Kind: how[2].(string), Judged: how[3].(string),
			Chains: how[4].(string), Site: value(a[1]).(string)}
		at := int(a[2].(float64))
		for _, f := range a[3:] {
			var frame Frame
			switch f := value(f).(type) {
			case string:
				frame.Text = f
			case []any:
				frame = Frame{f[0].(string), f[1].(string)}
			}
			chains = append(chains, chain{at, frame})
			at = len(chains) - 1
		}
		for ; at > 0; at = chains[at].before {
			l.Chain = append([]Frame{chains[at].frame}, l.Chain...)
		}
		out = append(out, l)
	}
	return out
}

// What is read is what was written, whatever is shared.
func TestLinksAreReadAgain(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "", "</script>", "\"", "0"})
	frame := rapid.Custom(func(t *rapid.T) Frame {
		return Frame{name.Draw(t, "text"), rapid.SampledFrom([]string{"", "f1-2", "f1-3"}).Draw(t, "anchor")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var w Writer
		var data strings.Builder
		var want []any
		for range rapid.IntRange(1, 3).Draw(t, "catches") {
			catch, exception := name.Draw(t, "catch"), name.Draw(t, "exception")
			data.WriteString(string(w.Catch(catch)) + string(w.Exception(exception)))
			want = append(want, "catch "+catch, exception)
			for range rapid.IntRange(0, 5).Draw(t, "links") {
				l := Link{name.Draw(t, "site"), name.Draw(t, "kind"), name.Draw(t, "class"), name.Draw(t, "status"),
					name.Draw(t, "judged"), name.Draw(t, "chains"), rapid.SliceOfN(frame, 1, 4).Draw(t, "chain")}
				data.WriteString(string(w.Link(&l)))
				want = append(want, l)
			}
		}
		if diff := cmp.Diff(want, read(t, data.String())); diff != "" || strings.Contains(data.String(), "</") {
			t.Fatalf("%s\n%s", diff, &data)
		}
	})
}

// A name, and the beginning of a chain, is written once.
func TestNamesAreWrittenOnce(t *testing.T) {
	var w Writer
	l := Link{Site: "C.m:9", Kind: "explicit", Status: "predicted",
		Chain: []Frame{{"A.a:1", "f0-1"}, {"B.b:2", ""}, {"C.m:9", ""}}}
	got := string(w.Catch("c-1")) + string(w.Exception("p.E")) + string(w.Link(&l))
	l.Chain = append(l.Chain[:2:2], Frame{"D.d:3", ""})
	got += string(w.Link(&l)) + string(w.Link(&l)) + string(w.Catch("c-2")) + string(w.Link(&l))
	const want = `{"catch":"c-1"}
"p.E"
[["","predicted","explicit","",""],"C.m:9",0,["A.a:1","f0-1"],"B.b:2",1]
[0,1,2,"D.d:3"]
[0,1,4]
{"catch":"c-2"}
[0,1,0,2,3,4]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
