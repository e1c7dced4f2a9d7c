package sandbox

// This file is the server's side on Linux: it starts the helper and speaks with it.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// order is what the helper is to do: one JSON line on its pipe. Each byte after
// it is a command; the end of the pipe is the order to kill.
type order struct {
	Path   string
	Args   []string
	Dir    string
	Write  []string
	Prefer Kind
	Trap   []int
	// Background is Command's.
	Background bool
	// Landlock has the process in a mount namespace restricted by it, too.
	Landlock bool
}

// status is what the helper tells, one JSON line each: that the process runs,
// and how it ended.
type status struct {
	PID         int
	Confinement Confinement
	Exit        *Exit
}

// Process is a started process with all its descendants.
type Process struct {
	// PID is the process itself, not its helper.
	PID         int
	Confinement Confinement

	helper *exec.Cmd
	orders *os.File
	mu     sync.Mutex
	killed bool
	done   chan struct{}
	exit   Exit
}

// Start starts the process. It returns when the process runs, confined.
func Start(c Command) (*Process, error) {
	orderR, orderW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	statusR, statusW, err := os.Pipe()
	if err != nil {
		orderR.Close()
		orderW.Close()
		return nil, err
	}
	h := exec.Command("/proc/self/exe", helperArg)
	h.Env = c.Env
	h.Stdin, h.Stdout, h.Stderr = c.Stdin, c.Stdout, c.Stderr
	h.ExtraFiles = []*os.File{orderR, statusW}
	listeners, theirs, err := listenerSocket(c.Trap)
	if err != nil {
		closeAll(orderR, orderW, statusR, statusW)
		return nil, err
	}
	if theirs != nil {
		h.ExtraFiles = append(h.ExtraFiles, theirs)
	}
	h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the terminal's signals are for the server
	err = h.Start()
	closeAll(orderR, statusW, theirs)
	if err != nil {
		closeAll(orderW, statusR, listeners)
		return nil, fmt.Errorf("starting the sandbox helper: %w", err)
	}
	if listeners != nil {
		go receiveListeners(listeners, c.Supervise)
	}
	p := &Process{helper: h, orders: orderW, done: make(chan struct{})}
	text, err := json.Marshal(order{Path: c.Path, Args: c.Args, Dir: c.Dir, Write: c.Write, Prefer: c.Prefer,
		Trap: c.Trap, Background: c.Background})
	if err == nil {
		err = sendLine(orderW, text)
	}
	lines := bufio.NewScanner(statusR)
	lines.Buffer(nil, 1<<20)
	var first status
	if err == nil {
		first, err = readStatus(lines)
	}
	if err == nil && first.Exit != nil {
		err = errors.New(first.Exit.Err)
	}
	if err != nil {
		orderW.Close()
		statusR.Close()
		h.Process.Kill()
		h.Wait()
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	p.PID, p.Confinement = first.PID, first.Confinement
	go p.watch(statusR, lines)
	return p, nil
}

// sendLine writes one line for the helper.
func sendLine(orders *os.File, line []byte) error {
	_, err := orders.Write(append(line, '\n'))
	if errors.Is(err, syscall.EPIPE) {
		return ErrHelperEnded
	}
	return err
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

func readStatus(lines *bufio.Scanner) (status, error) {
	var s status
	if !lines.Scan() {
		return s, ErrHelperEnded
	}
	return s, json.Unmarshal(lines.Bytes(), &s)
}

func (p *Process) watch(statusR *os.File, lines *bufio.Scanner) {
	s, err := readStatus(lines)
	statusR.Close()
	p.helper.Wait()
	switch {
	case err != nil: // somebody has killed the helper, and so all that it had started
		p.exit = Exit{Code: -1, Err: err.Error()}
		if ws, ok := p.helper.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			p.exit.Signal = int(ws.Signal())
		}
	case s.Exit != nil:
		p.exit = *s.Exit
	}
	p.mu.Lock()
	p.orders.Close()
	p.killed = true
	p.mu.Unlock()
	close(p.done)
}

// Done is closed when the process and all its descendants are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait returns how the process ended, when all its descendants are gone.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// Kill ends the process and all its descendants and waits until they are gone.
func (p *Process) Kill() Exit {
	p.mu.Lock()
	if !p.killed {
		p.killed = true
		p.orders.Close()
	}
	p.mu.Unlock()
	select {
	case <-p.done:
	case <-time.After(killGrace):
		p.helper.Process.Kill()
		<-p.done
	}
	return p.exit
}

// Tree lists the processes that run: this one and its descendants, those included that
// their parents left behind. A process that has just been started may be missing.
func (p *Process) Tree() []int {
	seen := map[int]bool{}
	open := childrenOf(p.helper.Process.Pid)
	for len(open) > 0 {
		pid := open[len(open)-1]
		open = open[:len(open)-1]
		if !seen[pid] {
			seen[pid] = true
			open = append(open, childrenOf(pid)...)
		}
	}
	pids := make([]int, 0, len(seen))
	for pid := range seen {
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	return pids
}

// Quit sends SIGQUIT, which makes a JVM print its threads.
func (p *Process) Quit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.killed {
		p.orders.Write([]byte{'q'})
	}
}
