package codelens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// This file says what faults of the environment showed: the outcome of each link,
// and the metrics of paper 003, section 2.3.

// tried is what faults showed of a link that nothing has experienced; ok is false
// where none could have made it happen, or none was tried.
func tried(v View, l *snapshot.Link) (results.Tried, bool) {
	s := v.state(l.Catch)
	if s == nil || s.Links[l.ID] != nil {
		return results.Tried{}, false
	}
	t, ok := s.Faults.Tried[l.ID]
	if v.partial() && (t.Outcome == results.NoTest || t.Outcome == results.NotReached) {
		return results.Tried{}, false // not known yet
	}
	return t, ok
}

// experiencedBy lists what made a link happen: baseline, fault.
func experiencedBy(x *results.Experienced) []string {
	by := []string{}
	if x.Baseline {
		by = append(by, "baseline")
	}
	if x.Fault {
		by = append(by, "fault")
	}
	return by
}

// FaultCatch computes the fault-catch coverage of all catches outside tests: their
// average, overall, and the fraction of those of which every fault has arrived.
// ok is false where no faults were tried, or none can reach a catch.
func FaultCatch(v View) (r ReportFault, ok bool) {
	catches, possible, seen, covered := 0, 0, 0, 0
	for _, c := range v.Snap.Catches {
		s := v.state(c)
		if c.InTests || !c.Compiled || s == nil || len(s.Faults.Possible) == 0 {
			continue
		}
		f, e := len(s.Faults.Possible), len(s.Faults.Seen)
		catches++
		possible += f
		seen += e
		r.Average += float64(e) / float64(f)
		if e == f {
			covered++
		}
	}
	if catches == 0 {
		return ReportFault{}, false
	}
	n := float64(catches)
	return ReportFault{r.Average / n, float64(seen) / float64(possible), float64(covered) / n}, true
}

// faultTitle is the fault-catch coverage of one catch for a lens; "" where no fault was tried that
// can come there.
func faultTitle(v View, c *snapshot.Catch) string {
	s := v.state(c)
	if s == nil || len(s.Faults.Possible) == 0 {
		return ""
	}
	n := len(s.Faults.Possible)
	title := fmt.Sprintf("%d/%d %s", len(s.Faults.Seen), n, plural(n, "fault"))
	if s.Faults.Stale && !v.Stale(c) { // else all is
		title += " (stale)"
	}
	return title
}

// faultText says which kinds of faults have come to a catch, for a hover; "" where
// none was tried.
func faultText(v View, c *snapshot.Catch) string {
	s := v.state(c)
	if s == nil || len(s.Faults.Possible) == 0 {
		return ""
	}
	text := fmt.Sprintf("Fault-catch coverage: %d of %s", len(s.Faults.Seen),
		Count(len(s.Faults.Possible), "kind of fault"))
	var missing []string
	for _, k := range s.Faults.Possible {
		if !slices.Contains(s.Faults.Seen, k) {
			missing = append(missing, string(k))
		}
	}
	if len(s.Faults.Seen) > 0 {
		text += " (" + kindNames(s.Faults.Seen) + ")"
	}
	if len(missing) > 0 {
		text += "; not yet: " + strings.Join(missing, ", ")
	}
	text += "."
	if s.Faults.Stale {
		text += " Some of this was seen before the code changed: the next run tries it again."
	}
	return text
}

// withFault says that a link was experienced with a fault, and of which kinds.
func withFault(kinds []faults.Kind) string {
	if len(kinds) == 0 {
		return " with a fault"
	}
	return " with a fault (" + kindNames(kinds) + ")"
}

func kindNames(list []faults.Kind) string {
	var names []string
	for _, k := range list {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// triedText says, in plain text, what became of the faults that could make a link
// happen, and what a test would have to do.
func triedText(l *snapshot.Link, t results.Tried) string {
	text := outcomeText(t)
	if next, known := nextStep(l.Chain(), t); known {
		text += "; a test would have to make it call " + Plain(methodName(next), false)
	} else if next != "" {
		text += "; the operation is reached from there through " + Plain(methodName(next), false)
	}
	if t.Executes != "" {
		text += "; " + Plain(t.Executes, false) + " runs this throw"
	}
	return text
}

// nextStep is the method of a chain that the nearest point that was reached calls, "" without a
// nearest point; known is whether no test makes it call that, which is recorded of the workspace's
// methods only.
func nextStep(chain []snapshot.Frame, t results.Tried) (next string, known bool) {
	if t.Outcome != results.NotReached || t.Where == "" {
		return "", false
	}
	for i := len(chain) - 2; i >= 0; i-- {
		if f := chain[i]; f.Class+"."+f.Method == t.Where {
			return chain[i+1].Class + "." + chain[i+1].Method, chain[i+1].File != ""
		}
	}
	return "", false
}

func outcomeText(t results.Tried) string {
	says := faults.Says(t.Kind)
	if t.Kind == record.Forced {
		says = "the guard was overridden"
	}
	switch t.Outcome {
	case "":
		return "predicted"
	case results.IsForced:
		return fmt.Sprintf("forced: %s in %s, and the exception came here; that is no experience of it", says,
			Plain(t.Test, false))
	case results.Masked:
		if t.Where != "" {
			return fmt.Sprintf("masked: %s in %s; %s", says, Plain(t.Test, false), Plain(t.Where, false))
		}
		return fmt.Sprintf("masked: %s in %s, and a layer below coped with it", says, Plain(t.Test, false))
	case results.Latent:
		return fmt.Sprintf("latent: %s in %s, and the exception came to %s", says, Plain(t.Test, false),
			Plain(t.Where, false))
	case results.ViaThread:
		return fmt.Sprintf("via thread: %s in %s, on a thread that the try's code gave work to", says,
			Plain(t.Test, false))
	case results.NoTest:
		return "no test enters this try"
	}
	text := "not reached: no test gets to this operation below the try"
	if t.Where != "" {
		text += "; the nearest point that one got to is " + Plain(methodName(t.Where), false)
	}
	return text
}

// methodName is a method's name for people, of class.name(descriptor).
func methodName(method string) string {
	head, desc, _ := strings.Cut(method, "(")
	dot := strings.LastIndexByte(head, '.')
	if dot < 0 {
		return method
	}
	return ShortMethod(head[:dot], head[dot+1:]+"("+desc)
}

// rootOf is the native operation below an explicit site of the JDK where the table
// of faults knows just one in the JDK analysed.
func rootOf(v View, l *snapshot.Link) *ReportSite {
	if l.Site.Kind != "explicit" {
		return nil
	}
	var found *faults.Root
	for _, r := range snapshot.FaultRoots(l) {
		if f := feature(v.Snap.JDKVersion); f < r.First || f > r.Last {
			continue
		}
		if found != nil {
			return nil
		}
		found = r
	}
	if found == nil {
		return nil
	}
	return &ReportSite{Class: sourceName(found.Class), Method: found.Name + found.Desc, Kind: "native"}
}

// feature is the feature version of a JDK version such as 17.0.15 or 1.8.0_402.
func feature(version string) int {
	n := 0
	for _, c := range strings.TrimPrefix(version, "1.") {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}
