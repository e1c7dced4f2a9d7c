package peers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// This file runs peers: programs in Java that analyse the same input.

// peer is another analysis on one input.
type peer struct {
	name  string // as tables have it
	in    *input
	files string // folder below in.dir that it writes to
	java  []string
	// ownTime reads from what the last run wrote how long the analysis took, without
	// start and the reading of the program before it; result reads methods and edges.
	ownTime func(p *peer) (time.Duration, error)
	result  func(p *peer) (*result, error)
	times   []time.Duration // ownTime of each run
	late    bool            // a run took longer than -limit
	until   sample          // what that run had used when it was ended
}

func (p *peer) out() string { return filepath.Join(p.in.dir, p.files) }

// errTooSlow is the error of a run that took more processor time than it was given.
var errTooSlow = errors.New("it took too much processor time")

// run runs it with a heap of so many MB, until it has taken a twentieth more than so much processor
// time; 0: however much.
func (p *peer) run(ctx context.Context, mb int, most time.Duration) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	args := append([]string{filepath.Join(*jdk, "bin", "java"), fmt.Sprintf("-Xmx%dm", mb),
		"-XX:+ExitOnOutOfMemoryError"}, p.java...)
	if most > 0 {
		args = append([]string{"sh", "-c", `ulimit -t "$0" && exec "$@"`, strconv.Itoa(int(1.05*most.Seconds()) + 1)},
			args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = p.in.dir
	s, err := measure(ctx, cmd)
	switch {
	case err == nil:
		var t time.Duration
		if t, err = p.ownTime(p); err == nil {
			p.times = append(p.times, t)
		}
	case most > 0 && s.cpu > most && ctx.Err() == nil && strings.Contains(err.Error(), "signal: "):
		err = fmt.Errorf("%w: %w", errTooSlow, err)
	}
	return s, err
}

// medianOf is the median of durations, 0 of none.
func medianOf(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	var s []sample
	for _, t := range times {
		s = append(s, sample{wall: t})
	}
	return median(s, wall)
}

// smallestHeap finds, to a step of so many MB, the smallest heap with which it
// stays within 1.2 of its best processor time, and that run.
func (p *peer) smallestHeap(ctx context.Context, best time.Duration, step int) (int, sample, error) {
	low, high := 0, *largest // low is too small, high serves
	found := sample{cpu: best}
	for high-low > step {
		mid := (low + high) / 2 / 64 * 64
		s, err := p.run(ctx, mid, best+best/5)
		if ctx.Err() != nil {
			return 0, found, ctx.Err()
		}
		if err == nil && s.cpu <= best+best/5 {
			high, found, best = mid, s, min(best, s.cpu)
		} else { // too slow, or out of memory
			low = mid
		}
	}
	return high, found, nil
}

// withTwice runs it with a heap of so many MB, twice what catchlens takes in all, and
// says whether it serves: whether it ends within 1.2 of its best processor time. 0
// is the best time of a peer that never came to its end.
func (p *peer) withTwice(ctx context.Context, best time.Duration, mb int) (string, error) {
	s, err := p.run(ctx, mb, best+best/5)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	took := fmt.Sprintf("%.1f s of CPU, %d MB resident", s.cpu.Seconds(), s.rss>>20)
	ofBest := ""
	if best > 0 {
		ofBest = fmt.Sprintf("; %.2f of its best time", s.cpu.Seconds()/best.Seconds())
	}
	verdict := ""
	switch exit := (*exec.ExitError)(nil); {
	case err == nil && (best == 0 || s.cpu <= best+best/5):
		verdict = "serves"
	case err == nil:
		verdict = "does not serve"
	case errors.Is(err, errTooSlow):
		verdict = "does not serve, and is given up"
	case errors.Is(err, context.DeadlineExceeded):
		verdict = "is not known to serve, and is given up"
	case errors.As(err, &exit) && exit.ExitCode() == outOfMemory:
		verdict = "is used up"
	default:
		return "", err
	}
	return fmt.Sprintf("%s: a heap of %d MB, twice what catchlens takes in all, %s after %.1f s (%s%s).", p.name, mb,
		verdict, s.wall.Seconds(), took, ofBest), nil
}

// outOfMemory is the exit code of a JVM that ends by -XX:+ExitOnOutOfMemoryError.
const outOfMemory = 3

// lines calls f for every line of a file.
func lines(path string, f func(string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		f(s.Text())
	}
	return s.Err()
}

// slug is the name of a peer in file names.
func (p *peer) slug() string { return strings.ToLower(strings.Fields(p.name)[0]) }
