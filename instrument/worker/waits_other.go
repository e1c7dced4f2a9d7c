//go:build !linux

package worker

import "time"

// waits is empty: it is not known here what the threads of a JVM wait for.
func (j *JVM) waits(time.Time) string { return "" }
