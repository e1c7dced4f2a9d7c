package buildtool

// This file starts the compiler's JVM and speaks with it.

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/sealed"
)

//go:embed java/catchlens/javac/CompilerServer.java
var serverSource embed.FS

const serverFile = "java/catchlens/javac/CompilerServer.java"

// maxFrame bounds an answer of the compiler, in bytes.
const maxFrame = 512 << 20

// Requests of the protocol that CompilerServer.java describes.
const (
	reqCompile = 1
	reqCancel  = 2
	reqEnd     = 3
)

// ErrNoCompiler says that a Java installation is a runtime without javac.
var ErrNoCompiler = errors.New("it has no compiler")

// javacRequest is one compilation.
type javacRequest struct {
	options   []string
	output    string
	generated string
	files     []string
	encoding  string
}

// javacAnswer is its outcome.
type javacAnswer struct {
	ok       bool
	notes    []Diagnostic
	produced map[string]string // class file relative to output -> source
	trouble  string
}

// server is one compiler JVM.
type server struct {
	proc   *sandbox.Process
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   *os.File // what out reads
	stderr *tail
	mu     sync.Mutex // writing frames
	nextID uint32
}

// serverClasses returns the folder with the compiled server, compiling it with
// the JDK's own javac when the cache does not have it.
func serverClasses(ctx context.Context, cache, jdk string) (string, error) {
	src, err := serverSource.ReadFile(serverFile)
	if err != nil {
		return "", err
	}
	release, _ := bounded.Read(filepath.Join(jdk, "release"), bounded.Text)
	h := sha256.New()
	fmt.Fprintf(h, "1\x00%s\x00%s\x00%s", src, jdk, release)
	dir := filepath.Join(cache, "javac-server", hex.EncodeToString(h.Sum(nil))[:24])
	if sealed.CheckFolder(dir) == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	file := filepath.Join(tmp, "CompilerServer.java")
	if err := os.WriteFile(file, src, 0o600); err != nil {
		return "", err
	}
	javac := javaTool(jdk, "javac")
	if _, err := os.Stat(javac); err != nil {
		return "", fmt.Errorf("cannot compile with the Java at %s: %w (install a JDK, or set jdk in %s)", jdk,
			ErrNoCompiler, workspace.ConfigName)
	}
	classes := filepath.Join(tmp, "classes")
	if err := os.Mkdir(classes, 0o700); err != nil {
		return "", err
	}
	out := &tail{max: 64 << 10}
	err = toolRun{dir: tmp, argv: []string{javac, "-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn",
		"-encoding", "UTF-8", "-d", classes, file},
		env: cleanEnv("JAVA_HOME=" + jdk), output: out}.run(ctx)
	if err != nil {
		return "", fmt.Errorf("cannot prepare the compiler of %s: %w", jdk, err)
	}
	if sealed.CheckFolder(dir) == nil { // another process was faster
		return dir, nil
	}
	if err := errors.Join(sealed.Remove(dir), os.Rename(classes, dir), sealed.SumFolder(dir, dir)); err != nil &&
		sealed.CheckFolder(dir) != nil {
		return "", err
	}
	return dir, nil
}

func javaTool(jdk, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(jdk, "bin", name)
}

// startServer starts a compiler JVM and waits until it is ready.
func startServer(ctx context.Context, cache, jdk string, heapMB int, idle time.Duration) (*server, error) {
	classes, err := serverClasses(ctx, cache, jdk)
	if err != nil {
		return nil, err
	}
	// The quick compiler alone: compiling commons-lang3 takes a third of the
	// processor time that it takes with C2 beside it.
	args := []string{"-Xmx" + strconv.Itoa(heapMB) + "m", "-Xss4m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		"-XX:-UsePerfData",
		"-Djava.awt.headless=true", "-Dfile.encoding=UTF-8", "-cp", classes}
	if tools := filepath.Join(jdk, "lib", "tools.jar"); fileExists(tools) { // JDK 8
		args[len(args)-1] += string(os.PathListSeparator) + tools
	} else {
		// Lombok and its like reach into the compiler.
		for _, p := range []string{"code", "comp", "file", "jvm", "main", "model", "parser", "processing", "tree",
			"util", "api"} {
			args = append(args, "--add-opens=jdk.compiler/com.sun.tools.javac."+p+"=ALL-UNNAMED")
		}
	}
	args = append(args, "catchlens.javac.CompilerServer", strconv.Itoa(int(idle/time.Second)))
	s := &server{stderr: &tail{max: 64 << 10}}
	command := sandbox.Command{Path: javaTool(jdk, "java"), Args: args, Env: cleanEnv("JAVA_HOME=" + jdk), Dir: classes}
	if err := s.start(command); err != nil {
		return nil, fmt.Errorf("cannot start the compiler of %s: %w", jdk, err)
	}
	frame, err := s.read(ctx)
	if err != nil {
		s.kill()
		return nil, fmt.Errorf("the compiler of %s does not start: %w\n%s", jdk, err, s.stderr.lastLines(10))
	}
	if len(frame) == 0 || frame[0] != 0 {
		s.kill()
		return nil, fmt.Errorf("the compiler of %s answers with an unknown frame", jdk)
	}
	return s, nil
}

func fileExists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

// start starts the JVM, with pipes for frames and for what it complains of.
func (s *server) start(c sandbox.Command) error {
	in, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	pipe, out, err := os.Pipe()
	if err != nil {
		ours.Close()
		return err
	}
	defer out.Close()
	complaints, _, err := drain(s.stderr)
	if err == nil {
		defer complaints.Close()
		c.Stdin, c.Stdout, c.Stderr = in, out, complaints
		s.proc, err = startTree(c)
	}
	if err != nil {
		ours.Close()
		pipe.Close()
		return err
	}
	s.in, s.out, s.pipe = ours, bufio.NewReaderSize(pipe, 1<<16), pipe
	return nil
}

func (s *server) kill() {
	s.proc.Kill()
	_ = s.in.Close()
	_ = s.pipe.Close()
}

// alive says whether the JVM still runs.
func (s *server) alive() bool {
	select {
	case <-s.proc.Done():
		return false
	default:
		return true
	}
}

// stop asks the JVM to end and ends it if it does not.
func (s *server) stop() {
	_ = s.write([]byte{reqEnd})
	_ = s.in.Close()
	select {
	case <-s.proc.Done():
	case <-time.After(time.Second):
	}
	s.kill()
}

func (s *server) write(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var head [4]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(frame)))
	_, err := s.in.Write(append(head[:], frame...))
	return err
}

// read returns the next frame. A context that ends leaves the stream unusable.
func (s *server) read(ctx context.Context) ([]byte, error) {
	type result struct {
		frame []byte
		err   error
	}
	ch := make(chan result, 1)
	go func() {
		var head [4]byte
		if _, err := io.ReadFull(s.out, head[:]); err != nil {
			ch <- result{nil, err}
			return
		}
		n := binary.BigEndian.Uint32(head[:])
		if n > maxFrame {
			ch <- result{nil, fmt.Errorf("an answer of %d bytes", n)}
			return
		}
		frame := make([]byte, n)
		_, err := io.ReadFull(s.out, frame)
		ch <- result{frame, err}
	}()
	select {
	case r := <-ch:
		return r.frame, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// cancelGrace is how long a cancelled compilation may take to end by itself.
const cancelGrace = 1500 * time.Millisecond

// compile runs one compilation. When ctx ends, the compilation is asked to
// end; a JVM that does not obey is ended.
func (s *server) compile(ctx context.Context, r javacRequest) (javacAnswer, error) {
	s.nextID++
	id := s.nextID
	var b bytes.Buffer
	b.WriteByte(reqCompile)
	putUint(&b, id)
	putStrings(&b, r.options)
	putString(&b, r.output)
	putString(&b, r.generated)
	putStrings(&b, r.files)
	putString(&b, r.encoding)
	if err := s.write(b.Bytes()); err != nil {
		return javacAnswer{}, fmt.Errorf("%w: %v", errCompilerDied, err)
	}
	readCtx, stop := context.WithCancel(context.Background())
	defer stop()
	over := context.AfterFunc(ctx, func() {
		var c bytes.Buffer
		c.WriteByte(reqCancel)
		putUint(&c, id)
		_ = s.write(c.Bytes())
		time.AfterFunc(cancelGrace, stop)
	})
	defer over()
	frame, err := s.read(readCtx)
	if err != nil {
		if ctx.Err() != nil {
			s.kill()
			return javacAnswer{}, context.Cause(ctx)
		}
		return javacAnswer{}, fmt.Errorf("%w: %v", errCompilerDied, err)
	}
	if ctx.Err() != nil {
		return javacAnswer{}, context.Cause(ctx)
	}
	return parseAnswer(frame, id)
}

var errCompilerDied = errors.New("the compiler's process ended")

func parseAnswer(frame []byte, id uint32) (javacAnswer, error) {
	d := &frameReader{b: frame}
	if kind, got := d.byte(), d.uint(); kind != 1 || got != id {
		return javacAnswer{}, fmt.Errorf("%w: it answers out of turn", errCompilerDied)
	}
	a := javacAnswer{ok: d.byte() != 0, produced: map[string]string{}}
	for n := d.uint(); n > 0 && d.err == nil; n-- {
		note := Diagnostic{Severity: diagnosticSeverity(d.string()), File: d.string()}
		note.Line, note.Column, note.Length = int(d.uint()), int(d.uint()), int(d.uint())
		note.Code, note.Message = d.string(), d.string()
		if note.File != "" {
			note.File = filepath.Clean(note.File)
		}
		a.notes = append(a.notes, note)
	}
	for n := d.uint(); n > 0 && d.err == nil; n-- {
		class, src := d.string(), d.string()
		a.produced[class] = src
	}
	a.trouble = d.string()
	return a, d.err
}

func diagnosticSeverity(kind string) workspace.Severity {
	switch kind {
	case "ERROR":
		return workspace.Error
	case "WARNING", "MANDATORY_WARNING":
		return workspace.Warning
	}
	return workspace.Info
}

func putUint(b *bytes.Buffer, v uint32) { _ = binary.Write(b, binary.BigEndian, v) }

func putString(b *bytes.Buffer, s string) {
	putUint(b, uint32(len(s)))
	b.WriteString(s)
}

func putStrings(b *bytes.Buffer, list []string) {
	putUint(b, uint32(len(list)))
	for _, s := range list {
		putString(b, s)
	}
}

// frameReader reads a frame; after an error everything is zero.
type frameReader struct {
	b   []byte
	err error
}

func (r *frameReader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.b) {
		r.err = errors.New("the compiler's answer is cut short")
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *frameReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *frameReader) uint() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *frameReader) string() string {
	n := r.uint()
	return strings.ToValidUTF8(string(r.take(int(n))), "\uFFFD")
}
