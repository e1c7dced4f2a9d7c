package rewrite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"catchlens/analysis/jimage"
	"catchlens/instrument/plan"
	"catchlens/internal/testjdk"
)

func TestExperiment(t *testing.T) {
	home := testjdk.JDK(t, 17)
	if os.Getenv("EXP_JDK") == "25" {
		home = testjdk.JDK(t, 25)
	}
	r, err := jimage.Open(jimage.PathIn(home))
	if err != nil {
		t.Fatal(err)
	}
	out := os.Getenv("EXP_OUT")
	n, skipped := 0, 0
	var spent time.Duration
	err = r.Each(func(l jimage.Location, err error) error {
		if err != nil {
			return err
		}
		if l.Ext != "class" || l.Base == "module-info" {
			return nil
		}
		data, err := r.Read(l)
		if err != nil {
			return err
		}
		p, _ := planFor(t, data, plan.Full)
		start := time.Now()
		res, err := Rewrite(data, p)
		spent += time.Since(start)
		if err != nil {
			t.Errorf("%s: %v", l.Name(), err)
			return nil
		}
		for _, s := range res.Skipped {
			skipped++
			t.Logf("%s: %+v", l.Name(), s)
		}
		n++
		if out != "" {
			f := filepath.Join(out, l.Module, l.Name())
			os.MkdirAll(filepath.Dir(f), 0o777)
			return os.WriteFile(f, res.Bytes, 0o666)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d classes, %d skipped, %v", n, skipped, spent)
}

// fullVerification makes a JVM verify every class, the boot loader's too.
var fullVerification = []string{
	"-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote",
}
