package buildtool

// This file holds the compiler's interface and the pool of its JVMs.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/sealed"
)

// CompilerOptions are the settings of a Compiler; zero values mean defaults.
type CompilerOptions struct {
	CacheDir  string        // the user's private cache folder; required
	HeapMB    int           // heap of a compiler JVM: 1024; doubled once (at most 4096) when it runs out
	Idle      time.Duration // a JVM that compiles nothing for so long ends: 5 min
	MaxAlive  int           // JVMs kept alive, one for each JDK: 2
	Log       func(string)  // what compilers and annotation processors print, and restarts
	MaxRounds int           // attempts without failing files: 8
}

// Compiler compiles with javacs that stay warm. It is safe for concurrent use;
// compilations by one JDK take turns.
type Compiler struct {
	opt    CompilerOptions
	mu     sync.Mutex
	pool   []*slot // most recently used last
	closed bool
	files  sealed.Checker // of what it has compiled
}

// slot holds the JVM of one JDK.
type slot struct {
	jdk  string
	turn chan struct{} // holds one token; whoever has it may use srv
	srv  *server
	heap int
}

// NewCompiler returns a compiler. Nothing is started before the first Compile.
func NewCompiler(opt CompilerOptions) *Compiler {
	if opt.HeapMB == 0 {
		opt.HeapMB = 1024
	}
	if opt.Idle == 0 {
		opt.Idle = 5 * time.Minute
	}
	if opt.MaxAlive == 0 {
		opt.MaxAlive = 2
	}
	if opt.MaxRounds == 0 {
		opt.MaxRounds = 8
	}
	if opt.Log == nil {
		opt.Log = func(string) {}
	}
	return &Compiler{opt: opt}
}

// Close ends the JVMs. A compilation under way is waited for.
func (c *Compiler) Close() error {
	c.mu.Lock()
	c.closed = true
	pool := c.pool
	c.pool = nil
	c.mu.Unlock()
	for _, s := range pool {
		<-s.turn
		if s.srv != nil {
			s.srv.stop()
			s.srv = nil
		}
		s.turn <- struct{}{}
	}
	return nil
}

// Diagnostic is one message of the compiler.
type Diagnostic struct {
	Severity workspace.Severity
	File     string // absolute; "" where the message concerns no file
	Line     int    // 1-based; 0 unknown
	Column   int    // 1-based, in UTF-16 units; 0 unknown
	Length   int    // in UTF-16 units; 0 unknown
	Code     string // javac's key: "compiler.err.cant.resolve.location"
	Message  string
	// Follows: sources with errors of their own were left out, which may be why.
	Follows bool `json:",omitempty"`
}

var errClosed = errors.New("the compiler is closed")

// slotFor returns the slot of a JDK and retires the least recently used one
// when there are too many.
func (c *Compiler) slotFor(jdk string) (*slot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	i := slices.IndexFunc(c.pool, func(s *slot) bool { return s.jdk == jdk })
	var s *slot
	if i >= 0 {
		s = c.pool[i]
		c.pool = append(slices.Delete(c.pool, i, i+1), s)
		return s, nil
	}
	s = &slot{jdk: jdk, turn: make(chan struct{}, 1), heap: c.opt.HeapMB}
	s.turn <- struct{}{}
	c.pool = append(c.pool, s)
	for len(c.pool) > c.opt.MaxAlive {
		old := c.pool[0]
		c.pool = c.pool[1:]
		go func() {
			<-old.turn
			if old.srv != nil {
				old.srv.stop()
				old.srv = nil
			}
			old.turn <- struct{}{}
		}()
	}
	return s, nil
}

// javac runs one compilation in the JVM of the JDK, starting it where needed.
// A JVM that dies is started again once; one that runs out of memory gets more
// once.
func (c *Compiler) javac(ctx context.Context, jdk string, req javacRequest) (javacAnswer, error) {
	s, err := c.slotFor(filepath.Clean(jdk))
	if err != nil {
		return javacAnswer{}, err
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return javacAnswer{}, context.Cause(ctx)
	}
	for attempt := 0; ; attempt++ {
		if s.srv != nil && !s.srv.alive() {
			s.srv.kill()
			s.srv = nil
		}
		fresh := s.srv == nil
		if fresh {
			if s.srv, err = startServer(ctx, c.opt.CacheDir, s.jdk, s.heap, c.opt.Idle); err != nil {
				s.srv = nil
				return javacAnswer{}, err
			}
		}
		a, err := s.srv.compile(ctx, req)
		if err == nil && a.trouble == "out of memory" && s.heap < 4096 && attempt < 2 {
			s.heap = min(2*s.heap, 4096)
			c.opt.Log(fmt.Sprintf("the compiler ran out of memory; it starts again with %d MB", s.heap))
			s.srv.kill()
			s.srv = nil
			continue
		}
		if err == nil {
			return a, nil
		}
		if ctx.Err() != nil {
			if !s.srv.alive() {
				s.srv = nil
			}
			return javacAnswer{}, err
		}
		words := s.srv.stderr.lastLines(10)
		s.srv.kill()
		s.srv = nil
		if !errors.Is(err, errCompilerDied) || attempt > 0 && fresh || attempt > 1 {
			return javacAnswer{}, fmt.Errorf("%w\n%s", err, words)
		}
		c.opt.Log("the compiler's process ended; it starts again")
	}
}
