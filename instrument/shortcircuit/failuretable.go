package shortcircuit

import "regexp"

// This file is the table of failures that a clause cannot have caused: what test
// frameworks say where a part of a test did not run.

// failureKind is why a failure decides nothing. Of several that one exception lists the last kind
// counts.
type failureKind uint8

const (
	// strictness: a mocking library finds that something which the test set up was not used,
	// or was used otherwise.
	strictness failureKind = iota + 1
	// verification: the test asks whether calls were made, or requests sent.
	verification
	// leaking: a check at the end of the test finds something that was not closed or awaited.
	leaking
	// waiting: the test waits for something until its patience ends.
	waiting
)

// failureRule recognises a failure by the class of an exception and, where others throw
// the same class, by its message or a frame of its stack.
type failureRule struct {
	class   string         // source form; one that ends with "." or "$" stands for all below
	message *regexp.Regexp // nil: any
	frame   string         // prefix of the class of one of its frames; "": any
	kind    failureKind
	by      string // who says so, in words
}

// notVerification are classes below a rule's prefix that say something else: the null pointer is in
// the user's code.
var notVerification = map[string]bool{"org.mockito.exceptions.verification.SmartNullPointerException": true}

// failureRules are looked at in order. Sources: the libraries' own classes, of the versions that
// the comments name where they differ.
var failureRules = []failureRule{
	// Mockito 1 to 5.
	{class: "org.mockito.exceptions.misusing.UnnecessaryStubbingException", kind: strictness, by: "Mockito"},
	{class: "org.mockito.exceptions.misusing.PotentialStubbingProblem", kind: strictness, by: "Mockito"},
	{class: "org.mockito.exceptions.misusing.UnfinishedStubbingException", kind: strictness, by: "Mockito"},
	{class: "org.mockito.exceptions.misusing.UnfinishedVerificationException", kind: strictness, by: "Mockito"},
	{class: "org.mockito.exceptions.verification.", kind: verification, by: "Mockito"},
	// EasyMock: AssertionErrors, also thrown again by verify (3.5 and later).
	{class: "java.lang.AssertionError", message: regexp.MustCompile(
		`^\s*(Expectation failure on verify|Unexpected method calls? )`), kind: verification, by: "EasyMock"},
	{class: "org.easymock.internal.AssertionErrorWrapper", kind: verification, by: "EasyMock"},
	// JMockit: mockit.internal (1.0 to 1.48), mockit.internal.expectations.invocation (later).
	{class: "mockit.internal.MissingInvocation", kind: verification, by: "JMockit"},
	{class: "mockit.internal.UnexpectedInvocation", kind: verification, by: "JMockit"},
	{class: "mockit.internal.expectations.invocation.MissingInvocation", kind: verification, by: "JMockit"},
	{class: "mockit.internal.expectations.invocation.UnexpectedInvocation", kind: verification, by: "JMockit"},
	// jMock 2, and 1.
	{class: "org.jmock.api.ExpectationError", kind: verification, by: "jMock"},
	{class: "org.jmock.core.DynamicMockError", kind: verification, by: "jMock"},
	// With JUnit 4 and 5 jMock throws an AssertionError with the text in place of its own error.
	{class: "java.lang.AssertionError", message: regexp.MustCompile(
		`^(not all expectations were satisfied|unexpected invocation: )`), frame: "org.jmock.",
		kind: verification, by: "jMock"},
	{class: "junit.framework.AssertionFailedError", frame: "org.jmock.", kind: verification, by: "jMock"},
	// Spock.
	{class: "org.spockframework.mock.TooFewInvocationsError", kind: verification, by: "Spock"},
	{class: "org.spockframework.mock.TooManyInvocationsError", kind: verification, by: "Spock"},
	{class: "org.spockframework.mock.WrongInvocationOrderError", kind: verification, by: "Spock"},
	{class: "org.spockframework.runtime.SpockTimeoutError", kind: waiting, by: "Spock"},
	// MockK.
	{class: "java.lang.AssertionError", message: regexp.MustCompile(`^Verification failed: `), kind: verification,
		by: "MockK"},
	{class: "java.lang.AssertionError", frame: "io.mockk.", kind: verification, by: "MockK"},
	// Servers that stand for others.
	{class: "com.github.tomakehurst.wiremock.client.VerificationException", kind: verification, by: "WireMock"},
	{class: "java.lang.AssertionError", message: regexp.MustCompile(`^Request (sequence )?not found`),
		kind: verification, by: "MockServer"},
	{class: "java.lang.AssertionError", frame: "org.mockserver.client.", kind: verification, by: "MockServer"},
	{class: "java.lang.AssertionError", message: regexp.MustCompile(
		`^Further request\(s\) expected leaving \d+ unsatisfied expectation|^No further requests expected`),
		kind: verification, by: "Spring's MockRestServiceServer"},
	{class: "java.lang.NullPointerException",
		message: regexp.MustCompile(`\b(okhttp3\.mockwebserver|mockwebserver3)\.RecordedRequest\b`), kind: verification,
		by: "MockWebServer"},
	{class: "net.jadler.mocking.VerificationException", kind: verification, by: "Jadler"},
	// What was not closed, ended or deleted.
	{class: "com.carrotsearch.randomizedtesting.ThreadLeakError", kind: leaking, by: "RandomizedRunner"},
	{class: "com.carrotsearch.randomizedtesting.ResourceDisposalError", kind: leaking, by: "RandomizedRunner"},
	{class: "java.io.IOException", message: regexp.MustCompile(`^Failed to delete temp directory `), kind: leaking,
		by: "JUnit's @TempDir"},
	{class: "java.lang.AssertionError", message: regexp.MustCompile(`^Unable to clean up temporary folder `),
		kind: leaking, by: "JUnit's TemporaryFolder"},
	{class: "java.lang.AssertionError", message: regexp.MustCompile(
		`(?i)^(LEAK: |\d+ (connections?|buffers?|threads?) (were |was )?leaked)`), kind: leaking,
		by: "a check for leaks"},
	{class: "java.lang.AssertionError", message: regexp.MustCompile(
		`(?i)^(test (contains|has) no assertions?|no assertions? (were|was) (made|performed))`), kind: strictness,
		by: "a check for assertions"},
	// Patience: JUnit 4 (a plain Exception before 4.12), JUnit 5, TestNG, Awaitility, Vert.x,
	// Reactor.
	{class: "org.junit.runners.model.TestTimedOutException", kind: waiting, by: "JUnit"},
	{class: "java.lang.Exception", message: regexp.MustCompile(`^test timed out after \d+ milliseconds`), kind: waiting,
		by: "JUnit"},
	{class: "java.util.concurrent.TimeoutException", message: regexp.MustCompile(`\) timed out after \d`),
		kind: waiting, by: "JUnit"},
	{class: "org.opentest4j.AssertionFailedError",
		message: regexp.MustCompile(`execution (timed out after|exceeded timeout of) \d`), kind: waiting, by: "JUnit"},
	{class: "org.testng.internal.thread.ThreadTimeoutException", kind: waiting, by: "TestNG"},
	{class: "org.testng.internal.invokers.ThreadTimeoutException", kind: waiting, by: "TestNG"},
	{class: "org.awaitility.core.ConditionTimeoutException", kind: waiting, by: "Awaitility"},
	{class: "com.jayway.awaitility.core.ConditionTimeoutException", kind: waiting, by: "Awaitility"},
	{class: "java.util.concurrent.TimeoutException", message: regexp.MustCompile(`^The test execution timed out`),
		kind: waiting, by: "Vert.x"},
	{class: "java.lang.AssertionError", message: regexp.MustCompile(`^VerifySubscriber timed out on `), kind: waiting,
		by: "Reactor"},
	{class: "kotlinx.coroutines.TimeoutCancellationException", kind: waiting, by: "Kotlin's coroutines"},
}

// waits are classes of exceptions that end a wait, wherever they are thrown: they count
// as waiting where it is the test's own code that waits.
var waits = map[string]bool{
	"java.util.concurrent.TimeoutException": true,
	"java.net.SocketTimeoutException":       true,
}
