package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// maxMeasuring is how long measuring the costs of probes may take: they take a second of processor
// time. Tests shorten it.
var maxMeasuring = 2 * time.Minute

// ProbeCosts measures in a JVM of its own, in nanoseconds of processor time, what an execution of a
// probe costs that stays, and one of a probe that removes itself. The error says that the JVM did
// not do it.
func (b Builder) ProbeCosts(ctx context.Context) (static, demand float64, err error) {
	jar, err := b.build(ctx, "measure", "java/catchlens/measure", nil, nil)
	if err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxMeasuring)
	defer cancel()
	java := exec.CommandContext(ctx, tool(b.JDK, "java"), "-cp", jar, "catchlens.measure.ProbeCosts")
	java.Env = slices.DeleteFunc(os.Environ(), isJVMOption)
	out, err := java.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w\n%s", err, bytes.TrimSpace(failed.Stderr))
	}
	if err == nil {
		if _, err = fmt.Sscan(string(out), &static, &demand); err != nil {
			err = fmt.Errorf("it printed %q: %w", out, err)
		}
	}
	if err == nil && (math.IsNaN(static+demand) || math.IsInf(static+demand, 0) || demand <= 0) {
		err = fmt.Errorf("it measured %s", bytes.TrimSpace(out))
	}
	if err != nil {
		return 0, 0, fmt.Errorf("measuring what probes cost on the JDK at %s: %w", b.JDK, err)
	}
	return static, demand, nil
}

// isJVMOption tells whether a variable of the environment, NAME=VALUE, gives options to every JVM:
// with -Xint or a debugger, measured once, probes would cost too much for good.
func isJVMOption(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains([]string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"}, name)
}
