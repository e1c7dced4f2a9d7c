package codelens

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// The text report lists the first problems of each severity, and says how many more there are.
func TestWriteProblems(t *testing.T) {
	var problems []ReportProblem
	for i := range maxTextProblems + 7 {
		problems = append(problems, ReportProblem{Severity: "error", Message: fmt.Sprintf("e%d", i)})
	}
	for i := range maxTextProblems {
		problems = append(problems, ReportProblem{Severity: "warning", Message: fmt.Sprintf("w%d", i)})
	}
	var out bytes.Buffer
	writeProblems(&out, problems)
	text := out.String()
	if n := strings.Count(text, "\n"); n != 2*maxTextProblems+1 || !strings.Contains(text, "error: and 7 more") ||
		strings.Contains(text, "warning: and") ||
		!strings.Contains(text, fmt.Sprintf("w%d\n", maxTextProblems-1)) ||
		strings.Contains(text, fmt.Sprintf("e%d\n", maxTextProblems)) {
		t.Errorf("%d lines:\n%s", n, text)
	}
}
