//go:build !linux

package worker

import "time"

// waits is empty: it is not known here what the threads of a JVM wait for.
func (j *JVM) waits(time.Time) string { return "" }

// mainDelay is nothing: it is not known here for how long threads wait for a core.
func (j *JVM) mainDelay() time.Duration { return 0 }

// delayedSince is nothing, too.
func (j *JVM) delayedSince(time.Duration) time.Duration { return 0 }

// runnable is empty as well.
func (j *JVM) runnable() (map[string]time.Duration, bool) { return nil, false }
