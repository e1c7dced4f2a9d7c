//go:build linux && (amd64 || arm64)

package osfault

import (
	"testing"

	"catchlens/internal/testjdk"
)

func TestFirst(t *testing.T) {
	for _, home := range testjdk.All(t) {
		j := startJVM(t, home, nil)
		a, b := j.file("a", "abc"), j.file("b", "abc")
		j.want("ok abc", "stream-read", a)
		x := j.arm("disk-read", path(a))
		j.want("java.io.IOException: Input/output error", "stream-read", a)
		j.want("ok abc", "stream-read", b)
		x.Cancel()
		j.want("ok abc", "stream-read", a)
		t.Log(x.Events(), j.s.Held(), j.p.Confinement)
	}
}
