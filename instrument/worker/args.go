package worker

// This file decides which of a project's JVM arguments a test JVM gets.

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// coverageAgents are the instrumenting tools that catchlens leaves out: they
// rewrite every class, which costs time and changes what the JVM hands over.
// A word matches the file name of an agent. Mocking agents are kept.
var coverageAgents = []string{"jacoco", "cobertura", "clover", "emma", "jcov", "intellij-coverage", "coverage-agent",
	"kover", "opencover"}

// coverageProperties are system properties that only those tools read.
var coverageProperties = []string{"-Djacoco", "-Dnet.sourceforge.cobertura", "-Dclover.", "-Demma.", "-Didea.coverage",
	"-Dkover"}

var debuggers = []string{"-agentlib:jdwp", "-Xrunjdwp", "-Xdebug"}

// FilterJVMArgs splits the JVM arguments of a project into those to keep and
// those that belong to a coverage tool. Placeholders that the build tool left
// unresolved (@{argLine}, ${argLine}) are dropped too, and debuggers that would
// wait for somebody to attach.
func FilterJVMArgs(args []string) (keep, dropped []string) {
	for _, a := range args {
		switch {
		case isCoverageAgent(a), hasAnyPrefix(a, debuggers), hasAnyPrefix(a, coverageProperties), isPlaceholder(a):
			dropped = append(dropped, a)
		case a != "":
			keep = append(keep, a)
		}
	}
	return keep, dropped
}

func isPlaceholder(a string) bool {
	return (strings.HasPrefix(a, "@{") || strings.HasPrefix(a, "${")) && strings.HasSuffix(a, "}")
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func isCoverageAgent(arg string) bool {
	rest, ok := "", false
	for _, p := range []string{"-javaagent:", "-agentpath:", "-agentlib:"} {
		if rest, ok = strings.CutPrefix(arg, p); ok {
			break
		}
	}
	if !ok {
		return false
	}
	file := strings.Trim(rest, `"`)
	if i := agentOptions(file); i >= 0 {
		file = file[:i]
	}
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	for _, w := range coverageAgents {
		if strings.Contains(base, w) {
			return true
		}
	}
	// org.jacoco.agent-0.8.8-runtime.jar is named after jacoco; a shaded copy may
	// only have it in its folder (.../org.jacoco.agent/runtime.jar).
	dir := strings.ToLower(path.Base(path.Dir(strings.ReplaceAll(file, `\`, "/"))))
	return strings.Contains(dir, "jacoco") && !strings.Contains(base, "mock")
}

// agentOptions is where the options of an agent start behind its file name: at
// the first '=' after which no path separator leads back to a file name.
func agentOptions(s string) int {
	if i := strings.Index(s, ".jar="); i >= 0 {
		return i + len(".jar")
	}
	return strings.IndexByte(s, '=')
}

// filterOptionsVariable does the same for the text of JAVA_TOOL_OPTIONS.
func filterOptionsVariable(text string) string {
	keep, _ := FilterJVMArgs(strings.Fields(text))
	return strings.Join(keep, " ")
}

// agentOption is how java is told to load an agent's jar. -javaagent has the module java.instrument
// resolved by itself, so that the JVM does not take the boot layer that it has in its archive, but
// makes one anew: a quarter of a start. Where modules are those of any program on the class path
// java.instrument is among them (JEP 261, "Root modules"), and the library that -javaagent loads
// (java.instrument, InvocationAdapter.c, Agent_OnLoad) can be named instead.
func agentOption(s Spec, args []string) string {
	all := append([]string{os.Getenv("JDK_JAVA_OPTIONS"), os.Getenv("JAVA_TOOL_OPTIONS"), os.Getenv("_JAVA_OPTIONS")},
		args...)
	for _, name := range []string{"JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"} {
		all = append(all, s.Environment[name])
	}
	limits := func(a string) bool {
		return strings.Contains(a, "--limit-modules") || strings.Contains(a, "jdk.module.limitmods") ||
			strings.Contains(a, "@") || strings.Contains(a, "-XX:VMOptionsFile")
	}
	if s.Module != nil || slices.ContainsFunc(all, limits) {
		return "-javaagent:"
	}
	return "-agentlib:instrument="
}

// attachedAgents are the agents that mocking libraries would load into the
// running JVM: given at the start, they need no attaching, which writes to the
// system's temporary folder and which JDKs are closing (JEP 451). Byte Buddy's
// agent, which Mockito and others use, finds itself started and does not attach.
func attachedAgents(args, classPath []string) []string {
	for _, a := range args {
		if strings.HasPrefix(a, "-javaagent:") &&
			(strings.Contains(a, "byte-buddy-agent") || strings.Contains(a, "mockito")) {
			return nil
		}
	}
	for _, entry := range classPath {
		base := path.Base(strings.ReplaceAll(entry, `\`, "/"))
		if strings.HasPrefix(base, "byte-buddy-agent-") && strings.HasSuffix(base, ".jar") {
			return []string{"-javaagent:" + entry}
		}
	}
	return nil
}

// agentHeap is what the heap of a test JVM is given beyond what a project limits it to: the agent's
// records are in it, and with next to nothing left a JVM does nothing but collect garbage.
// smallHeap is from where on that makes no difference.
const (
	agentHeap = 64 << 20
	smallHeap = 512 << 20
)

// withRoom raises the small limits of the heap that arguments set.
func withRoom(args []string) []string {
	raised := slices.Clone(args)
	for i, a := range raised {
		for _, prefix := range []string{"-Xmx", "-XX:MaxHeapSize="} {
			text, ok := strings.CutPrefix(a, prefix)
			if bytes, valid := memorySize(text); ok && valid && bytes < smallHeap {
				raised[i] = fmt.Sprintf("%s%dk", prefix, (bytes+agentHeap)>>10)
			}
		}
	}
	return raised
}

// memorySize is a size as java's arguments have it: bytes, or with a unit behind it.
func memorySize(text string) (bytes int64, ok bool) {
	shift := 0
	if text != "" {
		if n := strings.IndexByte("kmg", text[len(text)-1]|0x20); n >= 0 {
			text, shift = text[:len(text)-1], 10*(n+1)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n << shift, err == nil && n > 0 && n < 1<<40>>shift
}
