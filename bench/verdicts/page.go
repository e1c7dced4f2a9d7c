package verdicts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// This file writes the pages: the figures of a project, and the verdicts to judge.

const heading = "| project | tests: build, catchlens | differences | links: before, after " +
	"| new: experienced, called, other | unpredicted | suite | campaign | of its processors " +
	"| ratio | injected runs | run again |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|---|\n"

func (a *result) row() string {
	t, l, c := a.tests, a.links, a.cost
	return fmt.Sprintf("| %s | %d, %d | %d (%d excluded) | %d, %d | %d, %d, %d | %d | %s | %s | %s | %.1f | %d | %d |",
		a.name, t.built, t.ran, len(t.differences), len(t.excluded),
		l.before, l.after, l.experienced, l.called, l.grown,
		l.unpredicted, seconds(c.suite), seconds(c.campaign), seconds(c.processor), c.ratio(), c.injected, c.again)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// page is report.md.
func (a *result) page(r *campaignRun, s standing) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s%s\n\n%s\n", a.name, heading, a.row(), s.tally)
	list(&b, "Tests that differ", a.tests.differences)
	list(&b, "Tests that differ for a known reason", a.tests.excluded)
	list(&b, "Links", append([]string{fmt.Sprintf("%d lost", a.links.lost)}, a.links.lines...))
	list(&b, "Judged wrong or not shown", s.wrong)
	list(&b, "Changed since they were judged", s.changed)
	list(&b, "Judged and gone", s.gone)
	list(&b, "Verdicts that another reading gives differently", otherReadings(r.after))
	var problems []string
	for _, p := range r.after.Problems {
		problems = append(problems, strings.Join(strings.Fields(p.Severity+" "+p.File+": "+p.Message), " "))
	}
	list(&b, "Problems of the report", problems)
	return b.String()
}

// otherReadings lists the catches of which the readings say different things.
func otherReadings(r *report) (lines []string) {
	for _, c := range r.Catches {
		k := c.contract
		if c.InTests || k.SourceIndependence == k.OtherReading.SourceIndependence {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: source independence %s (%s), %s (%s)",
			c.ID, k.SourceIndependence, k.Reading, k.OtherReading.SourceIndependence, k.OtherReading.Reading))
	}
	return lines
}

func list(b *strings.Builder, title string, lines []string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, l := range lines {
		fmt.Fprintf(b, "* %s\n", l)
	}
	if len(lines) == 0 {
		b.WriteString("None.\n")
	}
}

// Limits of what a page shows of one verdict; the reports have the rest.
const (
	shownRuns      = 25
	shownWitnesses = 4
	shownFrames    = 25
)

// verdictPage is verdicts.md: each claim with what a reader needs to judge it.
func verdictPage(p project, dir string, r *campaignRun, claims []claim) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Verdicts on %s at %s\n", p.Name, p.Commit)
	sources := newSources(dir)
	for _, c := range claims {
		k := c.catch
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s:%d, catch (%s); %d pink, %d white, %d blue usages\n\n%s\n\n",
			c.what, k.ID, k.File, k.Line, strings.Join(k.Types, " | "),
			k.Usages.Pink, k.Usages.White, k.Usages.Blue, k.contract.Why)
		code(&b, "java", sources.member(k.File, k.Line))
		for i, w := range k.contract.Witnesses {
			if i == shownWitnesses {
				fmt.Fprintf(&b, "%d more witnesses.\n\n", len(k.contract.Witnesses)-i)
				break
			}
			w.write(&b, sources)
		}
		writeRuns(&b, r, k.ID)
		var evidence bytes.Buffer
		if json.Indent(&evidence, k.Evidence, "", " ") == nil {
			code(&b, "json", evidence.String())
		}
	}
	return b.String()
}

func (w witness) write(b *strings.Builder, s *sources) {
	fmt.Fprintf(b, "Witness %s: %s thrown %d times into %s executions (%s, %s), %s: %s\n\n",
		w.Test, w.Injected, w.Fired, w.Reading, w.Constructed, w.Provenance, w.Outcome, w.Message)
	for i, f := range w.Stack {
		if i == shownFrames {
			break
		}
		fmt.Fprintf(b, "    at %s.%s:%d\n", f.Class, f.Method, f.Line)
	}
	b.WriteString("\n")
	code(b, "java", s.test(w.Test))
}

// writeRuns lists the injected runs of a catch, those first that did not pass.
func writeRuns(b *strings.Builder, r *campaignRun, catch string) {
	runs := r.runsOf(catch)
	var lines []string
	for _, passing := range []bool{false, true} {
		for _, c := range runs {
			if (c.Outcome == "pass") != passing {
				continue
			}
			message, _, _ := strings.Cut(c.Message, "\n")
			lines = append(lines, fmt.Sprintf("* %s, %s, fired %d: %s %s", c.Test, c.Type, c.Fired, c.Outcome, message))
		}
	}
	fmt.Fprintf(b, "%d injected runs:\n\n%s\n\n", len(lines), strings.Join(lines[:min(shownRuns, len(lines))], "\n"))
}

func code(b *strings.Builder, language, text string) {
	if text != "" {
		fmt.Fprintf(b, "```%s\n%s\n```\n\n", language, strings.TrimRight(text, "\n"))
	}
}
