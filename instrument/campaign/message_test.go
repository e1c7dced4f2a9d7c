package campaign

import (
	"strings"
	"testing"
)

// A run failed for the message alone where what the test wanted is what it got, but for that.
func TestOnlyMessage(t *testing.T) {
	const own, injected = "/x/y (No such file)", "Input/output error"
	for text, want := range map[string]bool{
		"org.junit.ComparisonFailure: expected:<failed: [/x/y (No such file)]> but was:<failed: [Input/output error]>":            true,
		"junit.framework.ComparisonFailure: text expected:<...led: [/x/y (No such file)]> but was:<...led: [Input/output error]>": true,
		"org.opentest4j.AssertionFailedError: text ==> expected: </x/y (No such file)> but was: <Input/output error>":             true,
		"java.lang.AssertionError: expected [/x/y (No such file)] but found [Input/output error]":                                 true,
		"org.opentest4j.AssertionFailedError: \nexpected: \"/x/y (No such file)\"\n but was: \"Input/output error\"":              true,
		"java.lang.AssertionError: \nExpected: \"/x/y (No such file)\"\n     but: was \"Input/output error\"":                     true,
		"org.junit.ComparisonFailure: expected:<[none]> but was:<[failed: Input/output error]>":                                   false,
		"org.junit.ComparisonFailure: expected:<[end: /x/y (No such file)]> but was:<[failed: Input/output error]>":               false,
		"java.lang.IllegalStateException: java.io.IOException: Input/output error":                                                false,
		"java.lang.AssertionError": false,
	} {
		c := &Cell{Type: "java.io.IOException", Message: text}
		if !repeatsMessage(c) && want {
			t.Fatalf("an IOException does not say %q", injected)
		}
		if got := onlyMessage(c, own); got != want {
			t.Errorf("%q: %v", text, got)
		}
		const below = "/tmp/catchlens-campaign-17/jvm3/tmp/y123456"
		c.Message = withoutFolders(strings.ReplaceAll(text, "/x/y", below))
		if got := onlyMessage(c, strings.ReplaceAll(own, "/x/y", below)); got != want {
			t.Errorf("%q, of a file in the folder of its JVM: %v", c.Message, got)
		}
	}
}
