package injection

import (
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells whether two runs failed alike: what repeats a failing run confirms it only
// where the same thing went wrong again.

// ownFrames is how many frames outside of the JDK and of test frameworks are compared.
const ownFrames = 3

// made matches the parts of names of classes made at run time that differ from JVM to JVM.
var made = regexp.MustCompile(`(\$\$Lambda|\$Proxy|\$MockitoMock|\$\$EnhancerBy|\$\$FastClassBy|\$ByteBuddy)[$\w/]*`)

// notOwn are the packages whose frames say how something failed, not where.
var notOwn = []string{"java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "org.opentest4j.",
	"org.testng.", "org.hamcrest.",
	"org.assertj.", "org.mockito.", "catchlens."}

// failsAt says where a test failed: the class of the exception, and the nearest frames of its stack
// trace that are neither the JDK's nor a test framework's. "": the stack trace does not tell.
func failsAt(stack string) string {
	first, rest, _ := strings.Cut(stack, "\n")
	class, _, _ := strings.Cut(first, ":")
	at := []string{class}
	for line := range strings.Lines(rest) {
		frame, ok := strings.CutPrefix(line, "\tat ")
		if strings.HasPrefix(line, "Caused by: ") || len(at) > ownFrames {
			break
		}
		if ok && !slices.ContainsFunc(notOwn, func(p string) bool { return strings.HasPrefix(frame, p) }) {
			at = append(at, made.ReplaceAllString(strings.TrimSpace(frame), "$1"))
		}
	}
	if len(at) == 1 {
		return ""
	}
	return strings.Join(at, "\n")
}

// endedAlike tells whether two runs ended the same way: of two that failed, also in the same place,
// as far as that is known of both.
func endedAlike(a, b *record.Cell) bool {
	if a.Outcome != b.Outcome {
		return false
	}
	if a.Outcome != record.Fail {
		return true
	}
	at, other := failsAt(a.Stack), failsAt(b.Stack)
	return at == "" || other == "" || at == other
}
