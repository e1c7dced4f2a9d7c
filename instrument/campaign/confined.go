package campaign

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"catchlens/instrument/record"
)

// This file tells which failing tests may want to write where a test JVM may not.

// fileFailure matches what exceptions of the JDK say of a file that they name by an absolute path.
var fileFailure = regexp.MustCompile(`\b(FileNotFound|AccessDenied|NoSuchFile|FileSystem)Exception: (/[^\s:()]+)(.*)`)

// deniedFile is a file of which a stack trace says that it could not be written, or that it is not
// there though it lies in a folder for temporary files: a test that makes none of the folders above
// it (File.mkdirs answers false) says no more. Files in the folders of a test JVM, where tests may
// write, do not count. "": none.
func deniedFile(stack string) string {
	for _, m := range fileFailure.FindAllStringSubmatch(stack, -1) {
		kind, path, why := m[1], m[2], m[3]
		switch {
		case strings.Contains(path, scratchName):
		case kind == "AccessDenied" || strings.Contains(why, "Permission denied") ||
			strings.Contains(why, "Read-only file system"):
			return path
		case (kind == "FileNotFound" || kind == "NoSuchFile") && temporary(path):
			return path
		}
	}
	return ""
}

// temporary tells whether a file lies below a folder that everybody may write temporary files into.
func temporary(path string) bool {
	for _, dir := range []string{"/tmp", "/var/tmp", filepath.ToSlash(os.TempDir())} {
		if strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// noteDenied says that tests may fail because their JVM must not write where they want to.
func (r *moduleRun) noteDenied(runs []*record.TestRun) {
	denied, test, file := 0, "", ""
	for _, t := range runs {
		if t.Outcome != record.Fail {
			continue
		}
		if path := deniedFile(t.Stack); path != "" {
			if denied++; denied == 1 {
				test, file = t.Test, path
			}
		}
	}
	if denied > 0 && r.c.summary().Unconfined == "" {
		r.c.note("%s: tests can write nowhere but in their working copy and private folders: that may be why %s "+
			"(%s: %s)", r.m.Name, testsFail(denied), test, file)
	}
}
