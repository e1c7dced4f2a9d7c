//go:build slow

package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func TestHostile(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprintf("JDK %d", testjdk.Feature(t, home)), func(t *testing.T) { testHostile(t, home) })
	}
}

func TestInjectionEverywhere(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprintf("JDK %d", testjdk.Feature(t, home)), func(t *testing.T) {
			testInjections(t, startJVM(t, injectSpec(t, home)))
		})
	}
}

// TestConfinements: with every kind of confinement the JVM runs, and only
// without one it can write elsewhere.
func TestConfinements(t *testing.T) {
	for kind, want := range map[sandbox.Kind]string{sandbox.Landlock: "denied kept", sandbox.Namespace: "denied kept",
		sandbox.None: "written deleted"} {
		outside := t.TempDir()
		os.WriteFile(filepath.Join(outside, "precious"), []byte("x"), 0o666)
		spec := hostileSpec(t, testjdk.JDK(t, 17))
		spec.Confine = kind
		spec.Environment = map[string]string{"OUTSIDE": outside}
		j := startJVM(t, spec)
		if j.Confinement.Kind != kind {
			t.Logf("%s is not to be had here: %+v", kind, j.Confinement)
			continue
		}
		if x, _ := one(t, j, "testWrites", time.Minute); x.Outcome != Pass || !strings.HasSuffix(x.Stdout, want) {
			t.Errorf("%s: %+v", kind, x)
		}
	}
}
