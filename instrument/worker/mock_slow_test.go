//go:build slow

package worker

import (
	"fmt"
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestMocking: an inline mocking library, with an agent of its own that it loads
// into the running JVM, retransforms a class with probes. The probes stay.
func TestMocking(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprintf("JDK %d", testjdk.Feature(t, home)), func(t *testing.T) {
			spec := plainSpec(t, home)
			jars := artifacts(t, []string{"org.mockito:mockito-core:5.11.0", "net.bytebuddy:byte-buddy:1.14.12",
				"net.bytebuddy:byte-buddy-agent:1.14.12", "org.objenesis:objenesis:3.3"})
			spec.ClassPath = append([]string{compileTests(t, home, jars, "testdata/mock/Mocks.java")}, jars...)
			spec.SystemProperties = map[string]string{"net.bytebuddy.experimental": "true"}
			j := startJVM(t, spec)
			r := run(t, j, Request{Adapter: agent.Plain, Classes: []string{"Mocks"}})
			link := "explicit Mocks$Target 0 -> Mocks$Target 0 java/lang/IllegalStateException x1\n"
			for m, want := range map[string]string{
				"testA": "Mocks$Target try 0 x1\nMocks$Target caught 0 x1\nMocks$Target method 0\n" + link,
				"testB": "", // the mock's code does not reach the probes
				"testC": "Mocks$Target try 0 x2\nMocks$Target caught 0 x1\nMocks$Target method 0\n" + link,
			} {
				x := byMethod(t, r, m)
				if got := showOnly(x.Record, "Mocks$Target"); x.Outcome != Pass || got != want {
					t.Errorf("%s: %s %+v, recorded\n%swant\n%s", m, x.Outcome, x.Failure, got, want)
				}
			}
			// What is armed reaches the class under its new number too.
			r = run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Mocks#testC"},
				Arm: &Injection{Targets: []Target{{Class: "Mocks$Target"}}, Exception: "java.io.IOException"}})
			if x := r.Tests[0]; x.Outcome != Fail || x.Injection.Times != 1 {
				t.Errorf("injected: %s %+v", x.Outcome, x.Injection)
			}
		})
	}
}
