package faults

import (
	"fmt"
	"slices"
	"strings"
)

// This file says in a sentence why native links of a report are not experienced.

// group are links of one catch that are not experienced for the same reason.
type group struct {
	at, why    string
	operations []string
}

// uncoveredGroups lists the predicted native links outside tests that were not experienced,
// by catch and reason, in the order of the report.
func uncoveredGroups(r *result) (out []group) {
	for _, c := range r.Catches {
		from := len(out)
		for _, l := range c.Links {
			if c.InTests || !l.Predicted || l.ThrowSite.Kind != "native" || l.Outcome == "experienced" {
				continue
			}
			why := sentence(l)
			i := slices.IndexFunc(out[from:], func(g group) bool { return g.why == why })
			if i < 0 {
				i = len(out) - from
				out = append(out, group{at: fmt.Sprintf("%s:%d", c.File[strings.LastIndexByte(c.File, '/')+1:], c.Line),
					why: why})
			}
			g := &out[from+i]
			g.operations = append(g.operations,
				l.ThrowSite.Class[strings.LastIndexByte(l.ThrowSite.Class, '.')+1:]+"."+methodName(l.ThrowSite.Method))
		}
	}
	return out
}

// sentence is why a link was not experienced: what catchlens.toml says, or what came of the fault.
func sentence(l link) string {
	if l.infeasible() {
		return "Judged infeasible: " + l.UserVerdict.Reason + "."
	}
	switch l.Outcome {
	case "not-reached":
		return "Tests enter the try, and none of those that were looked at runs the operation below it" + upTo(l) + "."
	case "no-test":
		return "No passing test enters the try."
	case "masked":
		if l.Where != "" {
			return "The fault struck below the try: " + l.Where + ", which is another link."
		}
		return "The fault struck below the try, and code in between coped with it."
	case "latent":
		return "The fault struck below the try, and the exception came elsewhere: " + l.Where + "."
	case "via-thread":
		if l.Where == "" {
			return "The fault struck on another thread, and nothing came of it here."
		}
		return "The fault struck on another thread, and its exception came there: " + l.Where + "."
	}
	return "No fault of the universe makes the operation fail."
}

// upTo names the last method of the link's shortest chain that is known to have run, and the next
// one of the chain. Of methods of the JDK it is not recorded whether they ran.
func upTo(l link) string {
	if l.Where == "" {
		return ""
	}
	text := "; of the shortest chain all ran up to `" + shortName(l.Where) + "`"
	for i := len(l.Chain) - 2; i >= 0; i-- {
		if f := l.Chain[i]; f.Class+"."+f.Method == l.Where {
			return text + ", which leads there through `" + shortName(l.Chain[i+1].Class+"."+l.Chain[i+1].Method) + "`"
		}
	}
	return text
}

// shortName is Class.method of a method's name with package and descriptor.
func shortName(method string) string {
	name := methodName(method)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[strings.LastIndexByte(name[:i], '.')+1:]
	}
	return name
}

// table is a Markdown table of groups.
func table(groups []group) string {
	var b strings.Builder
	b.WriteString("| catch | links from | why not experienced |\n|---|---|---|\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", g.at, strings.Join(g.operations, ", "), g.why)
	}
	return b.String()
}
