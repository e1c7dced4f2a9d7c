package lab

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/catchlens/catchlens/internal/tempdir"
)

// fileFailure matches what exceptions of the JDK say of a file that they name by an absolute path.
var fileFailure = regexp.MustCompile(
	`\b(FileNotFound|AccessDenied|NoSuchFile|FileSystem)Exception: ((?:/|\.\./)[^\s:()]+)(.*)`)

// DeniedFile is a file of which a stack trace says that it could not be written, or that it is not
// there though it lies in a folder for temporary files: a test that makes none of the folders above
// it (File.mkdirs answers false) says no more. absent: a path that goes up names a file beside the
// module's folder, and it is not there, as tests run in a copy of that folder alone. Files in the
// folders of a test JVM, where tests may write, do not count. "": none.
func DeniedFile(stack string) (file string, absent bool) {
	for _, m := range fileFailure.FindAllStringSubmatch(stack, -1) {
		kind, path, why := m[1], m[2], m[3]
		switch {
		case strings.Contains(path, scratchName):
		case kind == "AccessDenied" || strings.Contains(why, "Permission denied") ||
			strings.Contains(why, "Read-only file system"):
			return path, false
		case kind != "FileNotFound" && kind != "NoSuchFile":
		case strings.HasPrefix(path, "../"):
			return path, true
		case temporary(path):
			return path, false
		}
	}
	return "", false
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

const (
	scratchKind = "campaign-"
	// scratchName is how the name of a campaign's folder begins.
	scratchName = tempdir.Prefix + scratchKind
)

// inFolder matches paths below the folder of a test JVM, randomName what is random in the names of
// files there.
var (
	inFolder   = regexp.MustCompile(`[^\s"'<>:]*[/\\]` + scratchName + `\d+[/\\]jvm\d+([^\s"'<>:]*)`)
	randomName = regexp.MustCompile(`\d{5,}`)
)

// WithoutFolders makes paths below the folders of test JVMs in a text begin with "..." and puts "*"
// for what is random in them: these folders are gone when somebody reads it, and another JVM has
// other ones.
func WithoutFolders(text string) string {
	if !strings.Contains(text, scratchName) {
		return text
	}
	return inFolder.ReplaceAllStringFunc(text, func(path string) string {
		return "..." + randomName.ReplaceAllString(inFolder.FindStringSubmatch(path)[1], "*")
	})
}
