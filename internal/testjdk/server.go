package testjdk

// This file keeps JVMs that compile: one that compiles for the second time needs a fifth of the
// processor time of a javac that is started for it.

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

//go:embed java/Compilations.java
var compilationsSource []byte

// A server is a JVM that runs Compilations. It ends with this process, which holds its standard
// input.
type server struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    bytes.Buffer // what the JVM itself says; read it once the process has ended
}

// idle are the servers that compile nothing now, by JDK. Tests that compile at the same time have
// one each.
var (
	idle   = map[string][]*server{}
	idleMu sync.Mutex
)

// environ is the environment without what single tests set.
var environ = os.Environ()

// javacKept runs the javac of the JDK at home with arguments in a server of this process. It
// returns what javac says, and an error where it compiles nothing or cannot be asked.
func javacKept(t testing.TB, home string, args []string) ([]byte, error) {
	t.Helper()
	idleMu.Lock()
	var s *server
	if n := len(idle[home]); n > 0 {
		s, idle[home] = idle[home][n-1], idle[home][:n-1]
	}
	idleMu.Unlock()
	if s == nil {
		var err error
		if s, err = startServer(home, serverClasses(t, home)); err != nil {
			return nil, err
		}
	}
	code, said, err := s.compile(args)
	if err != nil {
		s.in.Close()
		s.process.Process.Kill()
		s.process.Wait()
		return nil, fmt.Errorf("the JVM that compiles: %w\n%s", err, &s.said)
	}
	idleMu.Lock()
	idle[home] = append(idle[home], s)
	idleMu.Unlock()
	if code != 0 {
		return said, fmt.Errorf("exit code %d", code)
	}
	return said, nil
}

// startServer starts a server on the JDK at home, whose class it finds in a folder.
func startServer(home, classes string) (*server, error) {
	args := slices.Concat(quick(""), []string{"-XX:-UsePerfData", "-cp", classes, "Compilations"})
	s := &server{process: exec.Command(Tool(home, "java"), args...)}
	s.process.Env, s.process.Stderr = environ, &s.said
	var err error
	if s.in, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.process.Start()
}

// compile asks for one compilation and waits for it.
func (s *server) compile(args []string) (code int32, said []byte, err error) {
	request := binary.BigEndian.AppendUint32(nil, uint32(len(args)))
	for _, a := range args {
		request = append(binary.BigEndian.AppendUint32(request, uint32(len(a))), a...)
	}
	if _, err := s.in.Write(request); err != nil {
		return 0, nil, err
	}
	var head struct{ Code, Length int32 }
	if err := binary.Read(s.out, binary.BigEndian, &head); err != nil {
		return 0, nil, err
	}
	said = make([]byte, head.Length)
	_, err = io.ReadFull(s.out, said)
	return head.Code, said, err
}

// serverClasses is the folder with the class of servers on the JDK at home, compiled once for all
// processes.
func serverClasses(t testing.TB, home string) string {
	t.Helper()
	command := []string{Tool(home, "javac")}
	source := filepath.Join(t.TempDir(), "Compilations.java")
	if err := os.WriteFile(source, compilationsSource, 0o666); err != nil {
		t.Fatal(err)
	}
	key, err := compilationKey(command, home, nil, nil, []string{source})
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(cacheDir(), key)
	if _, err := os.Stat(store); err == nil {
		return store
	}
	fresh := t.TempDir()
	cmd := exec.Command(command[0], slices.Concat(quick("-J"), []string{"-d", fresh, source})...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	if err := keep(fresh, store); err != nil {
		t.Fatal(err)
	}
	return store
}
