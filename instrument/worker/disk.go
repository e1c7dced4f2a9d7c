package worker

// This file ends JVMs whose tests fill the disk or start processes without end, and tells what
// files they have left.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// maxDisk is what a JVM's tests may add to its folders, unless the Spec says.
const maxDisk = 2 << 30

// diskEvery is the shortest time between two looks at a JVM's folders, and
// diskShare how many times as long as the look itself the next one is put off: it
// costs a hundredth of a core at most.
const (
	diskEvery = time.Second
	diskShare = 100
)

// maxProcesses is how many processes may run in the tree of a JVM, unless the Spec says. They are
// counted as often as the folders are looked at: what starts thousands in a second is stopped by
// the system's own limits only.
const maxProcesses = 500

// watchDisk ends the JVM when its folders hold more than its limit beyond what they
// held at its start, files included that are deleted and still open where the system
// tells of them (Linux); and when too many processes run.
func (j *JVM) watchDisk() {
	first := j.dirs.size() // while the JVM starts
	limit := j.spec.MaxDisk
	if limit == 0 {
		limit = maxDisk
	}
	most := j.spec.MaxProcesses
	if most == 0 {
		most = maxProcesses
	}
	pause := diskEvery
	for {
		select {
		case <-j.gone:
			return
		case <-time.After(pause):
		}
		began := time.Now()
		tree := j.proc.Tree()
		if len(tree) > most {
			j.mu.Lock()
			j.started = len(tree)
			j.mu.Unlock()
			j.kill(DiedProcesses)
			return
		}
		if n := j.dirs.size() + deletedOpen(tree, j.dirs.root) - first; n > limit {
			j.mu.Lock()
			j.filled = n
			j.mu.Unlock()
			j.kill(DiedDisk)
			return
		}
		pause = max(diskEvery, diskShare*time.Since(began))
	}
}

// size is what all files take in the folders that tests may write, in bytes.
func (d dirs) size() (n int64) {
	for _, dir := range []string{d.home, d.tmp, d.work} {
		filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil {
					n += allocated(info)
				}
			}
			return nil // what is being deleted meanwhile does not count
		})
	}
	return n
}

// listing is a digest of the names of all files in the folders that tests may write, and of their
// sizes, times and permissions.
func (d dirs) listing() string {
	h := sha256.New()
	for _, dir := range []string{d.home, d.tmp, d.work} {
		filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				fmt.Fprintf(h, "%q %v\n", name, err)
				return nil
			}
			info, err := e.Info()
			switch {
			case err != nil:
				fmt.Fprintf(h, "%q %v\n", name, err)
			case e.IsDir(): // its time is that of what was there for a while, too
				fmt.Fprintf(h, "%q %v\n", name, info.Mode())
			default:
				fmt.Fprintf(h, "%q %v %d %d\n", name, info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// diskReason is what is said of a test that filled the disk.
func diskReason(d *Died) string {
	return fmt.Sprintf("it filled the disk: %d MB had been written into its folders when its JVM was ended",
		d.Filled>>20)
}
