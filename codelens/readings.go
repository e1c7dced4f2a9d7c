package codelens

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file says which executions of a try runs struck, and what the two readings of source
// independence say.

// struckText says how often a run threw, and in which executions where these are not all.
func struckText(c record.Cell) string {
	n := fmt.Sprintf("%d×", c.Fired)
	if c.Reading == record.White && !c.All() {
		n += " where it was caught"
		if len(c.Struck) > 0 {
			n += ": " + strings.Join(c.Struck, ", ")
		}
	}
	return n
}

// aloneText says how many of several white executions were struck alone, too; "" where that goes
// without saying.
func aloneText(c record.Cell) string {
	switch {
	case c.Reading != record.White || c.Whites < 2 || c.Alone == 0:
		return ""
	case c.Alone < c.Whites:
		return fmt.Sprintf("%d of %d also alone", c.Alone, c.Whites)
	}
	return "each also alone"
}

// otherReadingText says what source independence is in the reading that is not the main one, where
// that is something else.
func otherReadingText(s *results.State) string {
	v := &s.Verdict
	if !v.Differs() {
		return ""
	}
	how := "where the exception is thrown in every execution of the try, as in the paper"
	if v.OtherReading() == shortcircuit.Usage {
		how = "where the exception is thrown only in executions that ended in this catch"
	}
	return fmt.Sprintf("In the reading %s, %s, source independence is %s: %s.", v.OtherReading(), how,
		answerText(v.Other), v.OtherWhy)
}

// answerText is an answer in a sentence.
func answerText(a shortcircuit.Answer) string {
	if a == shortcircuit.Holds {
		return "given"
	}
	return string(a)
}
