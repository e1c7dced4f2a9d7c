package sandbox

import (
	"os"
	"os/exec"
)

// Available says what keeps processes started on this system from writing
// elsewhere: it starts one that does nothing and looks.
func Available() Confinement {
	if path, err := exec.LookPath("true"); err == nil {
		if p, err := Start(Command{Path: path, Env: os.Environ(), Dir: os.TempDir(),
			Write: []string{os.TempDir()}}); err == nil {
			defer p.Kill()
			return p.Confinement
		} else {
			return Confinement{Kind: None, Why: err.Error()}
		}
	}
	return Confinement{Kind: None, Why: "no program to try it with was found"}
}
