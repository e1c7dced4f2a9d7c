//go:build !linux

package sandbox

// This file starts processes on systems without a helper.

import (
	"errors"
	"os/exec"
	"sync"

	"github.com/catchlens/catchlens/internal/seccomp"
)

// MaybeRunAsHelper does nothing here: only Linux has a helper.
func MaybeRunAsHelper() {}

// Process is a started process with its descendants, as far as the system
// knows them.
type Process struct {
	PID         int
	Confinement Confinement

	cmd  *exec.Cmd
	tree tree
	once sync.Once
	done chan struct{}
	exit Exit
}

// Start starts the process.
func Start(c Command) (*Process, error) {
	if len(c.Trap) > 0 {
		return nil, seccomp.Available()
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	t := newTree(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := t.started(cmd); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	p := &Process{PID: cmd.Process.Pid, cmd: cmd, tree: t, done: make(chan struct{}),
		Confinement: Confinement{None, unconfined}}
	go func() {
		err := cmd.Wait()
		p.exit = Exit{Code: cmd.ProcessState.ExitCode(), Signal: signalOf(cmd)}
		var ee *exec.ExitError
		if err != nil && !errors.As(err, &ee) {
			p.exit.Err = err.Error()
		}
		p.tree.kill() // what it left behind
		close(p.done)
	}()
	return p, nil
}

// Done is closed when the process is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait returns how the process ended.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// Kill ends the process and its descendants and waits for it.
func (p *Process) Kill() Exit {
	p.once.Do(func() {
		p.tree.kill()
		p.cmd.Process.Kill()
	})
	return p.Wait()
}

// Quit makes a JVM print its threads, where the system has SIGQUIT.
func (p *Process) Quit() { p.tree.quit() }

// Tree lists the processes that run; it is not known here.
func (p *Process) Tree() []int { return nil }
