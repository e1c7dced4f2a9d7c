package shortcircuit

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
)

// at writes a stack trace: what was thrown, and the frames below as class.method:line.
func at(thrown string, frames ...string) string {
	var b strings.Builder
	b.WriteString(thrown + "\n")
	for _, f := range frames {
		name, line, _ := strings.Cut(f, ":")
		b.WriteString("\tat " + name + "(File.java:" + line + ")\n")
	}
	return b.String()
}

func TestReadTraces(t *testing.T) {
	stack := at("java.lang.AssertionError: \n  Expectation failure on verify:\n    A.b(): expected: 1, actual: 0",
		"org.easymock.EasyMock.verify:20", "p.StoreTest.reads:7") +
		"Caused by: " + at("java.lang.NullPointerException", "java.base/java.util.Objects.requireNonNull:3",
		"p.Store.lambda$read$0:12") + "\tat p.Store.open(Native Method)\n"
	got := readTraces(stack)
	if len(got) != 2 || got[0].class != "java.lang.AssertionError" ||
		!strings.Contains(got[0].message, "Expectation failure on verify:\n") ||
		got[1].class != "java.lang.NullPointerException" || got[1].message != "" {
		t.Fatalf("%+v", got)
	}
	if want := (frame{"p.StoreTest", "reads", 7}); got[0].frames[1] != want {
		t.Errorf("%+v, want %+v", got[0].frames[1], want)
	}
	want := []frame{{"java.util.Objects", "requireNonNull", 3}, {"p.Store", "lambda$read$0", 12},
		{"p.Store", "open", 0}}
	if !slices.Equal(got[1].frames, want) {
		t.Errorf("%+v, want %+v", got[1].frames, want)
	}
	if got := readTraces(""); len(got) != 1 || got[0].class != "" {
		t.Errorf("of nothing: %+v", got)
	}
}

func FuzzReadTraces(f *testing.F) {
	f.Add(at("p.E: a: b", "p.C.m:1") + "Caused by: " + at("p.F", "p.D.<init>:2"))
	f.Add("Caused by: \n\tat ()\n\tat a.b(C.java:-3)\n at x")
	f.Add("\n\n")
	f.Fuzz(func(t *testing.T, stack string) {
		for _, tr := range readTraces(stack) {
			for _, fr := range tr.frames {
				if fr.class == "" || fr.line < 0 {
					t.Errorf("%+v", fr)
				}
			}
		}
	})
}

func TestDecidesNothing(t *testing.T) {
	for _, c := range []struct {
		name, stack      string
		source, resilent bool // decides nothing about the one, about the other
	}{
		{"strict stubs", at("org.mockito.exceptions.misusing.UnnecessaryStubbingException: \nUnnecessary stubbings "+
			"detected.", "org.mockito.junit.jupiter.MockitoExtension.afterEach:188"), true, true},
		{"other arguments, wrapped", at("java.lang.IllegalStateException: cannot",
			"p.Store.read:12") + "Caused by: " +
			at("org.mockito.exceptions.misusing.PotentialStubbingProblem: ", "p.Store.read:10"), true, true},
		{"verify", at("org.mockito.exceptions.verification.WantedButNotInvoked: ", "p.StoreTest.reads:9"), true, false},
		{"verify, old", at("org.mockito.exceptions.verification.junit.ArgumentsAreDifferent: ",
			"p.StoreTest.reads:9"),
			true, false},
		{"a smart null is the user's", at("org.mockito.exceptions.verification.SmartNullPointerException: ",
			"p.Store.read:12"), false, false},
		{"a mock that is none", at("org.mockito.exceptions.misusing.NotAMockException: ",
			"p.StoreTest.reads:9"), false,
			false},
		{"EasyMock", at("java.lang.AssertionError: \n  Expectation failure on verify:\n    A.b(): expected: 1, "+
			"actual: 0", "org.easymock.internal.MocksControl.verify:184"), true, false},
		{"EasyMock, unexpected", at("java.lang.AssertionError: \n  Unexpected method call A.b():",
			"p.Store.read:12"),
			true, false},
		{"an assertion that speaks of it",
			at("java.lang.AssertionError: no Expectation failure on verify", "p.StoreTest.reads:9"), false, false},
		{"JMockit", at("mockit.internal.expectations.invocation.MissingInvocation: Missing 1 invocation to:"),
			true, false},
		{"jMock", at("org.jmock.api.ExpectationError: not all expectations were satisfied"), true, false},
		{"jMock, with JUnit", at("java.lang.AssertionError: not all expectations were satisfied",
			"org.jmock.lib.AssertionErrorTranslator.translate:20"), true, false},
		{"jMock, with JUnit, unexpected", at("java.lang.AssertionError: unexpected invocation: source.done()",
			"org.jmock.lib.AssertionErrorTranslator.translate:20", "p.Store.read:12"), true, false},
		{"an assertion below an action of jMock", at("java.lang.AssertionError: expected <1>",
			"p.StoreTest.answers:9", "org.jmock.internal.InvocationDispatcher.dispatch:70"), false, false},
		{"jMock's words", at("java.lang.AssertionError: unexpected invocation: x", "p.StoreTest.reads:9"), false,
			false},
		{"Spock", at("org.spockframework.mock.TooFewInvocationsError: Too few invocations for:"), true, false},
		{"WireMock", at("com.github.tomakehurst.wiremock.client.VerificationException: Expected at least one request " +
			"matching"), true, false},
		{"MockServer", at("java.lang.AssertionError: Request not found exactly once, expected:<{",
			"org.mockserver.client.MockServerClient.verify:90"), true, false},
		{"MockRestServiceServer", at("java.lang.AssertionError: Further request(s) expected leaving 1 unsatisfied " +
			"expectation(s)."), true, false},
		{"MockWebServer", at(`java.lang.NullPointerException: Cannot invoke "okhttp3.mockwebserver.RecordedRequest.getPath()" because "r" is null`, "p.StoreTest.reads:9"), true, false},
		{"a null pointer", at(`java.lang.NullPointerException: Cannot invoke "p.Conn.close()" because "conn" is null`,
			"p.Store.read:12"), false, false},
		{"several, all of them", at("org.opentest4j.MultipleFailuresError: Multiple Failures (2 " +
			"failures)\n\torg.mockito.exceptions.verification.WantedButNotInvoked: " +
			"x\n\torg.mockito.exceptions.misusing.UnnecessaryStubbingException: y"), true, false},
		{"several, of strictness", at("org.opentest4j.MultipleFailuresError: Multiple Failures (2 " +
			"failures)\n\torg.mockito.exceptions.misusing.UnnecessaryStubbingException: " +
			"x\n\torg.mockito.exceptions.misusing.PotentialStubbingProblem: y"), true, true},
		{"several, not all", at("org.opentest4j.MultipleFailuresError: Multiple Failures (2 " +
			"failures)\n\torg.opentest4j.AssertionFailedError: expected: <1> but was: " +
			"<2>\n\torg.mockito.exceptions.misusing.UnnecessaryStubbingException: y"), false, false},
		{"several, JUnit 4", at("org.junit.runners.model.MultipleFailureException: There were 2 errors:\n  " +
			"org.mockito.exceptions.verification.NoInteractionsWanted(x)\n  org.jmock.api.ExpectationError(y)"),
			true, false},
		{"JUnit 4's timeout", at("org.junit.runners.model.TestTimedOutException: test timed out after 100 milliseconds",
			"java.lang.Object.wait:0", "p.StoreTest.reads:9"), true, false},
		{"JUnit 4's timeout, old", at("java.lang.Exception: test timed out after 100 milliseconds",
			"p.StoreTest.reads:9"), true, false},
		{"a timeout in the clause", at("org.junit.runners.model.TestTimedOutException: test timed out after 100 "+
			"milliseconds", "java.lang.Object.wait:0", "p.Store.read:12", "p.StoreTest.reads:9"), false, false},
		{"JUnit 5's timeout", at("java.util.concurrent.TimeoutException: reads() timed out after 1 second",
			"p.StoreTest.reads:9"), true, false},
		{"assertTimeout", at("org.opentest4j.AssertionFailedError: execution timed out after 10 ms"), true, false},
		{"TestNG's", at("org.testng.internal.thread.ThreadTimeoutException: Method p.StoreTest.reads() didn't finish " +
			"within the time-out 100"), true, false},
		{"Awaitility", at("org.awaitility.core.ConditionTimeoutException: "+
			"Condition was not fulfilled within 1 seconds.", "p.StoreTest.reads:9"), true, false},
		{"the test waits", at("java.util.concurrent.TimeoutException", "java.util.concurrent.FutureTask.get:204",
			"p.StoreTest.reads:9"), true, false},
		{"a socket of the test", at("java.net.SocketTimeoutException: Read timed out",
			"java.net.SocketInputStream.read:1", "p.StoreTest.reads:9"), true, false},
		{"the program waits", at("java.net.SocketTimeoutException: Read timed out",
			"java.net.SocketInputStream.read:1",
			"p.Wire.next:30", "p.StoreTest.reads:9"), false, false},
		{"a leak", at("com.carrotsearch.randomizedtesting.ThreadLeakError: 1 thread leaked from SUITE scope"),
			true, false},
		{"a folder in use", at("java.io.IOException: Failed to delete temp directory /tmp/junit1. The following " +
			"paths could not be deleted"), true, false},
		{"any IOException", at("java.io.IOException: no", "p.Store.read:5"), false, false},
		{"a comparison", at("org.opentest4j.AssertionFailedError: expected: <1> but was: <2>",
			"p.StoreTest.reads:9"),
			false, false},
		{"nothing", "", false, false},
	} {
		p := &Place{Class: "p.Store", Method: "read", Clause: &clause.Result{After: []int{11, 12}}}
		cell := &record.Cell{Trial: record.Trial{Test: "p.StoreTest#reads", Outcome: record.Fail,
			Stack: c.stack}, Fired: 1}
		if got := decidesNothing(cell, p, false); (got != "") != c.source {
			t.Errorf("%s: of source independence: %q", c.name, got)
		}
		if got := decidesNothing(cell, p, true); (got != "") != c.resilent {
			t.Errorf("%s: of pure resilience: %q", c.name, got)
		}
	}
}

// A verification that asks for what only the clause does is not about the try's work.
func TestVerificationOfClause(t *testing.T) {
	const mockito = "org.mockito.exceptions.verification."
	for _, c := range []struct {
		name, stack string
		clause      bool // asks for what the clause does
	}{
		{"missing", at(mockito+"WantedButNotInvoked: \nWanted but not invoked:\nstation.close();\n-> at "+
			"p.StoreTest.reads(StoreTest.java:9)\n\nHowever, there was exactly 1 interaction with this mock:\n"+
			"station.open();\n-> at p.Store.read(Store.java:4)", "p.StoreTest.reads:9"), true},
		{"missing, in the code of the mock", at(mockito+"WantedButNotInvoked: \nWanted but not invoked:\n"+
			"station.close();\n-> at p.Station.close(Station.java:4)",
			"p.Station.close:4", "p.StoreTest.reads:9"), true},
		{"too few", at(mockito+"TooFewActualInvocations: \nstation.close();\nWanted 2 times:\n-> at "+
			"p.StoreTest.reads(StoreTest.java:9)\nBut was 1 time:", "p.StoreTest.reads:9"), true},
		{"never", at(mockito+"NeverWantedButInvoked: \nstation.close(\n    \"now\"\n);\nNever wanted here:",
			"p.StoreTest.reads:9"), true},
		{"of the try", at(mockito+"WantedButNotInvoked: \nWanted but not invoked:\nstation.open();\n"+
			"-> at p.StoreTest.reads(StoreTest.java:9)", "p.StoreTest.reads:9"), false},
		{"no call named", at(mockito+"NoInteractionsWanted: \nNo interactions wanted here:\n-> at "+
			"p.StoreTest.close(StoreTest.java:9)", "p.StoreTest.close:9"), false},
		{"counted", at("java.lang.AssertionError: \n  Expectation failure on verify:\n    "+
			"Station.open(): expected: 1, actual: 1\n    Station.close(): expected: at least 1, actual: 0",
			"org.easymock.EasyMock.verify:20", "p.StoreTest.reads:9"), true},
		{"counted, both", at("java.lang.AssertionError: \n  Expectation failure on verify:\n    "+
			"Station.open(): expected: 1, actual: 0\n    Station.close(): expected: 1, actual: 0",
			"org.easymock.EasyMock.verify:20", "p.StoreTest.reads:9"), false},
	} {
		k := prepared(clause.Local, "k", "1", 16, clause.Use{Line: 21, Where: clause.InClause})
		p := store(k)
		p.CallsAlone = func(name string) bool { return name == "close" }
		p.Looks = func(*clause.Ran, []clause.Frame, string) clause.Looked { return clause.Looked{At: []string{"s"}} }
		cell := &record.Cell{Trial: record.Trial{Test: "p.StoreTest#reads", Outcome: record.Fail, Stack: c.stack},
			Fired: 1}
		why := decidesNothing(cell, p, false)
		if (why == "") != c.clause {
			t.Errorf("%s: %q", c.name, why)
		}
		if cause, why := nameCause(cell, p, nil); (cause != nil) != c.clause {
			t.Errorf("%s: cause %v, %q", c.name, cause, why)
		}
	}
}

// The verdict follows: what decides nothing leaves the answer open, with the reason.
func TestDecidesNothingInVerdicts(t *testing.T) {
	stack := at("org.mockito.exceptions.misusing.UnnecessaryStubbingException: \n",
		"org.mockito.junit.jupiter.MockitoExtension.afterEach:188")
	cells := []record.Cell{{Type: "E", Trial: record.Trial{Test: "T#a", Outcome: record.Fail, Stack: stack},
		Fired: 1},
		{Type: "E", Trial: record.Trial{Test: "T#a", Outcome: record.Fail, Stack: stack}, Fired: 1,
			Reading: record.White, Whites: 1,
			Executions: 2}}
	r := rowOf([]string{"E"}, []Test{{Name: "T#a", Baseline: record.Pass, Usage: record.Usage{White: 1, Pink: 1},
		Cells: cells}})
	v := Decide(r)
	if v.SourceIndependence != Unknown || v.PureResilience != Unknown ||
		!strings.Contains(v.Why, "only Mockito fails it") {
		t.Errorf("%s, %s: %s", v.SourceIndependence, v.PureResilience, v.Why)
	}
	if w := DecideBy(r, Paper); w.PureResilience != Violated {
		t.Errorf("the paper's formulas say %s of pure resilience", w.PureResilience)
	}
}
