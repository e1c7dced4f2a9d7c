package session

import (
	"path/filepath"
	"slices"
	"strings"

	"catchlens/internal/sealed"
)

// This file keeps which JDKs a workspace's catchlens.toml may name.

// trustedJDKs is the file of the folders of JDKs that counted when the workspace was trusted, one a
// line. They count later without trust too, so that what a run found out is not shown as stale.
const trustedJDKs = "trusted-jdks"

// mayUseJDK tells whether a JDK may be used that catchlens.toml names by its folder: in a trusted
// workspace any, in another one those that were used when it was trusted.
func (s *Session) mayUseJDK(home string) bool {
	file := filepath.Join(s.folder, trustedJDKs)
	text, _ := sealed.Read(file, trustedJDKs)
	known := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	if slices.Contains(known, home) {
		return true
	}
	if !s.trusted() {
		return false
	}
	if err := sealed.Write(file, trustedJDKs, []byte(strings.Join(append(known, home), "\n"))); err != nil {
		s.log.Debug("a trusted JDK is not kept", "error", err)
	}
	return true
}
