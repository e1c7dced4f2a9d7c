package sandbox

// This file restricts the calling thread, and what it starts, with Landlock
// (Linux' Documentation/userspace-api/landlock.rst).

import (
	"fmt"
	"os"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// landlockABI is the version of the kernel's interface; 0: not there.
func landlockABI() int {
	v, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// devices may be written to although they stand elsewhere.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
	"/dev/pts"}

// restrict allows the calling thread to write below the given folders and to
// the harmless devices only, from now on.
func restrict(abi int, write []string) error {
	const file = landlock.AccessFSWriteFile
	rights := uint64(file | landlock.AccessFSRemoveDir | landlock.AccessFSRemoveFile |
		landlock.AccessFSMakeChar | landlock.AccessFSMakeDir | landlock.AccessFSMakeReg |
		landlock.AccessFSMakeSock | landlock.AccessFSMakeFifo | landlock.AccessFSMakeBlock |
		landlock.AccessFSMakeSym)
	if abi >= 2 {
		rights |= landlock.AccessFSRefer
	}
	if abi >= 3 {
		rights |= landlock.AccessFSTruncate
	}
	attr := landlock.RulesetAttr{HandledAccessFS: rights}
	if abi >= 6 { // older kernels refuse what they do not know
		attr.Scoped = landlock.ScopeSignal | landlock.ScopeAbstractUnixSocket
	}
	fd, err := landlock.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return fmt.Errorf("creating a ruleset: %w", err)
	}
	defer unix.Close(fd)
	for _, dir := range write {
		if err := allow(fd, dir, rights); err != nil {
			return err
		}
	}
	for _, dev := range devices {
		if err := allow(fd, dev, file); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := landlock.LandlockRestrictSelf(fd, 0); err != nil {
		return fmt.Errorf("restricting: %w", err)
	}
	return nil
}

func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	rule := landlock.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}
	if err := landlock.LandlockAddPathBeneathRule(ruleset, &rule, 0); err != nil {
		return fmt.Errorf("allowing %s: %w", path, err)
	}
	return nil
}
