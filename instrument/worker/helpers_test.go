package worker

import (
	"context"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/defect"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A panic while a class is rewritten for a JVM is that of the one who waits for the JVM, which
// ends.
func TestRewriterPanics(t *testing.T) {
	spec := plainSpec(t, testjdk.JDK(t, 17))
	spec.Rewriter = func(loader, name string, class []byte) ([]byte, Meta, bool) { panic("rewriting " + name) }
	var j *JVM
	defer func() {
		p, _ := recover().(*defect.WorkerPanic)
		if p == nil || !strings.HasPrefix(p.Cause.(string), "rewriting ") || !strings.Contains(p.Stack, "answer") {
			t.Errorf("the panic is %v", p)
		}
		if j != nil {
			if j.Alive() {
				t.Error("the JVM runs on")
			}
			j.Close()
		}
	}()
	var err error
	if j, err = Start(context.Background(), spec); err != nil {
		t.Fatal(err)
	}
	r, err := j.Run(context.Background(), Request{Classes: []string{"Plain"}})
	t.Errorf("it ran: %v, %v", r, err)
}
