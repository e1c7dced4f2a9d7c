// Package audit asks how many of the predicted links can happen. It draws links that nothing
// experienced, writes a page with what a reader needs to judge them, keeps the judgements beside
// the workspace, and tells when a later analysis contradicts one of them.
package audit

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
)

// key identifies a link whatever the order and the lines of the code are.
type key struct{ catch, exception, site string }

func keyOf(l *snapshot.Link) key {
	return key{l.Catch.ID, l.Exception, l.Site.Ref()}
}

// Candidates are the links that can be drawn: those of catches outside tests that nothing
// experienced and that catchlens.toml does not judge infeasible.
func Candidates(v codelens.View) (out []*snapshot.Link) {
	for _, c := range v.Snap.Catches {
		if c.InTests {
			continue
		}
		for _, l := range v.Links(c) {
			if _, judged := v.Infeasible[l.ID]; !judged && !v.IsExperienced(l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// Draw chooses n of the links, all where there are fewer. The order of a draw is that of a digest
// of the seed and what identifies the link: each set of n links is as likely as any other, and of
// the links that are there before and after a change the same are drawn first.
func Draw(links []*snapshot.Link, n int, seed int64) []*snapshot.Link {
	type ranked struct {
		digest [sha256.Size]byte
		link   *snapshot.Link
	}
	all := make([]ranked, len(links))
	for i, l := range links {
		k := keyOf(l)
		all[i] = ranked{sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%s", seed, k.catch, k.exception, k.site)), l}
	}
	slices.SortFunc(all, func(a, b ranked) int { return slices.Compare(a.digest[:], b.digest[:]) })
	out := make([]*snapshot.Link, 0, min(n, len(all)))
	for _, r := range all[:min(n, len(all))] {
		out = append(out, r.link)
	}
	return out
}

// ConfigurationOf is what decides, beside the code, which links a snapshot has.
func ConfigurationOf(s *snapshot.Snapshot) Configuration {
	return Configuration{CallGraph: s.Config.CallGraph, Exceptions: s.Config.Studied.Exceptions.String(),
		Sites: s.Config.Studied.Sites.Names(), EntryPoints: s.Config.EntryPoints,
		JDK: workspace.FeatureOf(s.JDKVersion)}
}

// Differs says what is different in two configurations, with its values; "" if nothing is.
func (c Configuration) Differs(from Configuration) string {
	var parts []string
	for _, p := range []struct{ what, a, b string }{
		{"call graph", c.CallGraph, from.CallGraph},
		{"exceptions", c.Exceptions, from.Exceptions},
		{"sites", strings.Join(c.Sites, "+"), strings.Join(from.Sites, "+")},
		{"entry points", c.EntryPoints, from.EntryPoints},
		{"JDK", fmt.Sprint(c.JDK), fmt.Sprint(from.JDK)},
	} {
		if p.a != p.b {
			parts = append(parts, fmt.Sprintf("%s %s, not %s", p.what, p.a, p.b))
		}
	}
	return strings.Join(parts, "; ")
}
