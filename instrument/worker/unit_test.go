package worker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func TestFilterJVMArgs(t *testing.T) {
	keep := []string{
		"-Xmx512m", "-ea", "-Dfile.encoding=UTF-8", "--add-opens=java.base/java.lang=ALL-UNNAMED",
		"-javaagent:/repo/org/mockito/mockito-core/5.14.0/mockito-core-5.14.0.jar",
		"-javaagent:/repo/net/bytebuddy/byte-buddy-agent-1.15.jar",
		"-javaagent:/repo/org/jmockit/jmockit/1.49/jmockit-1.49.jar=x=y",
		`-javaagent:C:\jacoco-test\tools\jmockit.jar`,
		"-agentpath:/opt/lib/libasyncProfiler.so=start", "-Dx=jacoco",
	}
	drop := []string{
		"-javaagent:/repo/org/jacoco/org.jacoco.agent/0.8.8/org.jacoco.agent-0.8.8-runtime.jar=destfile=" +
			"/w/target/jacoco.exec,excludes=a/b.jar",
		`-javaagent:C:\repo\org.jacoco.agent\runtime.jar=destfile=x`,
		"-javaagent:/home/u/.gradle/kover-jvm-agent-1.0.jar=file:/tmp/args",
		"-javaagent:/idea/lib/intellij-coverage-agent-1.0.jar=/tmp/coverageargs",
		"-javaagent:/opt/clover.jar", "-javaagent:/opt/emma-2.0.jar", "-agentpath:/opt/libjcov.so",
		"-Djacoco-agent.destfile=x", "-Dnet.sourceforge.cobertura.datafile=x", "@{argLine}", "${surefireArgLine}",
		"-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=5005",
	}
	got, dropped := FilterJVMArgs(append(append([]string{}, keep...), drop...))
	if !reflect.DeepEqual(got, keep) {
		t.Errorf("kept %q", got)
	}
	if !reflect.DeepEqual(dropped, drop) {
		t.Errorf("dropped %q", dropped)
	}
	if s := filterOptionsVariable("-Xmx1g -javaagent:/x/jacocoagent.jar=y -Da=b"); s != "-Xmx1g -Da=b" {
		t.Errorf("variable: %q", s)
	}
}

// A small heap gets room for what the agent records, whichever argument limits it.
func TestWithRoom(t *testing.T) {
	got := withRoom([]string{"-Xmx25M", "-Xmx512m", "-Xmx511m", "-Xmx2g", "-Xms8m", "-XX:MaxHeapSize=33554432",
		"-Xmxlots", "-Xmx", "-Xmx-1m", "-Xmx9000000000g"})
	want := []string{"-Xmx91136k", "-Xmx512m", "-Xmx588800k", "-Xmx2g", "-Xms8m", "-XX:MaxHeapSize=98304k",
		"-Xmxlots",
		"-Xmx", "-Xmx-1m", "-Xmx9000000000g"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAttachedAgents(t *testing.T) {
	cp := []string{"/repo/byte-buddy-1.15.jar", "/repo/byte-buddy-agent-1.15.jar"}
	if got := attachedAgents([]string{"-ea"}, cp); !reflect.DeepEqual(got,
		[]string{"-javaagent:/repo/byte-buddy-agent-1.15.jar"}) {
		t.Errorf("got %q", got)
	}
	if got := attachedAgents([]string{"-javaagent:/repo/mockito-core-5.14.jar"}, cp); got != nil {
		t.Errorf("given already: %q", got)
	}
	if got := attachedAgents(nil, cp[:1]); got != nil {
		t.Errorf("not there: %q", got)
	}
}

func TestRealisticMessage(t *testing.T) {
	for class, want := range map[string]string{
		"java.io.FileNotFoundException":     "missing.txt (No such file or directory)",
		"com.acme.ConnectionResetException": "Connection reset",
		"com.acme.Outer$ParseError":         "Parse",
		"java.lang.Exception":               "Operation failed",
		"Error":                             "Operation failed",
	} {
		if got := RealisticMessage(class); got != want {
			t.Errorf("%s: %q", class, got)
		}
	}
}

func TestNoProbes(t *testing.T) {
	for name, want := range map[string]bool{
		"java/lang/Object": true, "java/lang/Objects": false, "java/lang/Thread": true,
		"java/lang/Thread$State":  false,
		"java/lang/VirtualThread": true, "java/lang/VirtualThread$VThreadContinuation": true,
		"jdk/internal/vm/Continuation": true,
		"catchlens/rt/Probe":           true, "java/lang/invoke/LambdaForm$MH": true,
		"java/lang/invoke/LambdaForm": false, "java/io/File": false,
	} {
		if NoProbes(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestStringHash(t *testing.T) {
	// "java/lang/String".hashCode() and a name outside ASCII, as jshell says.
	for s, want := range map[string]int32{"": 0, "a": 97, "java/lang/String": -2083121403,
		"p/\u00c4\U0001F600": 106795784} {
		if got := int32(stringHash(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestBundleRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b")
	var want []BundleEntry
	for i := range 100 {
		e := BundleEntry{Original: KeyOf([]byte{byte(i), 1})}
		if i%3 != 0 {
			e.Name = strings.Repeat("n", i)
			e.Rewritten = bytes.Repeat([]byte{byte(i)}, 8+i)
			e.Meta = Meta{4, i, 2 * i, 3 * i, 65535}
		}
		want = append(want, e)
	}
	if err := WriteBundle(path, append(want, want[5])); err != nil { // the same key again is left out
		t.Fatal(err)
	}
	got, err := ReadBundle(path)
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[Key]BundleEntry{}
	for _, e := range got {
		byKey[e.Original] = e
	}
	if len(got) != len(want) {
		t.Errorf("%d entries", len(got))
	}
	for _, w := range want {
		if !reflect.DeepEqual(byKey[w.Original], w) {
			t.Errorf("%+v, want %+v", byKey[w.Original], w)
		}
	}
	err = WriteBundle(path, []BundleEntry{{Name: "X", Original: Key{1, 2, 3}, Rewritten: make([]byte, 8),
		Meta: Meta{NumberOffset: 5}}})
	if err == nil || !strings.Contains(err.Error(), "class X") {
		t.Errorf("an offset outside the class: %v", err)
	}
}

func FuzzReadBundle(f *testing.F) {
	path := filepath.Join(f.TempDir(), "b")
	WriteBundle(path, []BundleEntry{{Name: "X", Original: Key{1, 2, 3}, Rewritten: make([]byte, 8)},
		{Original: Key{4, 5, 6}}})
	seed, _ := os.ReadFile(path)
	f.Add(seed)
	f.Add(seed[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseBundle(b)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.Rewritten != nil && e.Meta.NumberOffset+4 > len(e.Rewritten) {
				t.Errorf("%+v", e)
			}
		}
	})
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, frameResult}, byte(frameResult))
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 't', 0, 0, 0, 14, 'S', 'y', 's', 't', 'e', 'm', '.', 'e',
		'x', 'i',
		't', '(', '3', ')'}, byte(frameExiting))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, byte(frameFound))
	f.Fuzz(func(t *testing.T, b []byte, typ byte) {
		class := func(n int) *Class { return &Class{Number: n} }
		switch typ {
		case frameClasses:
			decodeClasses(b, func(*Class) {})
		case frameStarted:
			decodeStarted(b)
		case frameResult:
			decodeResult(b, class)
		case frameAsk:
			decodeAsk(b)
		case frameExiting:
			decodeExiting(b)
		case frameFound:
			decodeFound(b)
		default:
			readFrame(bufio.NewReader(bytes.NewReader(b)))
		}
	})
}

// TestStrangers: who connects without the token is turned away.
func TestStrangers(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range []struct {
		says string
		want byte
	}{{"tokenC\n", 'C'}, {"tokenB\n", 'B'}, {"tokexC\n", 0}, {"GET / ", 0}} {
		go func() {
			conn, err := net.Dial("tcp4", l.Addr().String())
			if err == nil {
				conn.Write([]byte(c.says))
				conn.(*net.TCPConn).CloseWrite()
				bufio.NewReader(conn).ReadString(0)
				conn.Close()
			}
		}()
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if got := authenticate(conn, "token", "reply"); got != c.want {
			t.Errorf("%q is channel %q", c.says, got)
		}
		conn.Close()
	}
}

// TestAgentGivesUp: the agent leaves a server that does not know the reply, and
// a JVM ends with its server although a test's thread would keep it.
func TestAgentGivesUp(t *testing.T) {
	jdk := testjdk.JDK(t, 17)
	jar, err := agent.Builder{JDK: jdk, Cache: testCache(t)}.Jar(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		reply string
		want  int
	}{"wrong reply": {"no idea", statusRefused}, "server dies": {"reply", statusLost}} {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		settings, _ := json.Marshal(map[string]any{"port": l.Addr().(*net.TCPAddr).Port, "token": "token",
			"reply": "reply", "bundles": []string{}})
		cmd := exec.Command(javaTool(jdk), "-javaagent:"+jar, "catchlens.rt.run.Main")
		cmd.Stdin = bytes.NewReader(settingsText(settings))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			conn.Write([]byte(c.reply + "\n"))
			defer time.AfterFunc(300*time.Millisecond, func() { conn.Close() }).Stop()
			if name == "wrong reply" {
				break
			}
		}
		l.Close()
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != c.want {
			t.Errorf("%s: exit status %d, want %d", name, got, c.want)
		}
	}
}

// TestNoSecretInProcessList: neither arguments nor environment hold the token.
func TestNoSecretInProcessList(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	j := startJVM(t, plainSpec(t, testjdk.JDK(t, 17)))
	for _, file := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(filepath.Join("/proc", itoa(j.proc.PID), file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "token") || len(hexRun(string(text))) >= 64 {
			t.Errorf("%s: %q", file, text)
		}
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// hexRun is the longest run of hexadecimal digits.
func hexRun(s string) string {
	best, from := "", 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || !strings.ContainsRune("0123456789abcdef", rune(s[i])) {
			if i-from > len(best) {
				best = s[from:i]
			}
			from = i + 1
		}
	}
	return best
}
