package worker

// This file watches JVMs that are starting.

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// patience is after how long it is said that a JVM is not ready, and how often from
// then on (notice). One whose processes take less than leastLife of processor time in
// silent, and print nothing, is given up: a JVM that waits for nothing takes a third of
// that, one that starts beside a hundred busy processes more.
type patience struct{ notice, silent, leastLife time.Duration }

// startPatience is that with all JVMs. Tests shorten it.
var startPatience = patience{notice: 30 * time.Second, silent: 3 * time.Minute, leastLife: 100 * time.Millisecond}

var errSilent = errors.New("it shows no sign of life: it takes no processor time and prints nothing")

// watchStart says that a JVM is late, and gives it up when it shows no sign of life. It
// returns when ctx ends.
func (j *JVM) watchStart(ctx context.Context, giveUp context.CancelCauseFunc, most patience) {
	began := time.Now()
	lastSign := began
	cpu, printed, _ := j.signs()
	tick := time.NewTicker(min(most.notice, most.silent/3))
	defer tick.Stop()
	noticed := began
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.gone:
			return
		case <-tick.C:
		}
		now := time.Now()
		nowCPU, nowPrinted, known := j.signs()
		switch {
		case !known || nowCPU < cpu || nowCPU-cpu >= most.leastLife || nowPrinted != printed:
			// less: processes have ended
			cpu, printed, lastSign = nowCPU, nowPrinted, now
		case now.Sub(lastSign) >= most.silent:
			giveUp(errSilent)
			return
		}
		if now.Sub(noticed) >= most.notice {
			noticed = now
			if j.spec.Delayed != nil {
				j.spec.Delayed(now.Sub(began))
			}
		}
	}
}

// signs of life of a JVM that is not ready yet: the processor time that its processes have
// taken, and how much they have printed. known is false where the system does not tell.
func (j *JVM) signs() (cpu time.Duration, printed int, known bool) {
	for _, pid := range j.proc.Tree() {
		if d, ok := processorTime(pid); ok {
			cpu += d
			known = true
		}
	}
	return cpu, len(j.output.String()), known
}

// processorTime is what a process has taken, in user and system mode (proc(5), stat,
// fields 14 and 15, in hundredths of a second on all architectures of Linux).
func processorTime(pid int) (time.Duration, bool) { return times(pid, 2) }

// withChildren is processorTime with what those of its children took that have ended (fields 16 and
// 17).
func withChildren(pid int) (time.Duration, bool) { return times(pid, 4) }

// times adds up so many fields of a process's times, from field 14 on.
func times(pid, n int) (time.Duration, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // a program's name may have ") " in it
	if len(fields) < 11+n {
		return 0, false
	}
	var ticks int64
	for _, f := range fields[11 : 11+n] {
		one, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, false
		}
		ticks += one
	}
	return time.Duration(ticks) * 10 * time.Millisecond, true
}
