package session

import (
	"slices"
	"strings"
)

// mayUseJDK tells whether a JDK may be used that catchlens.toml names by its folder: in a trusted
// workspace any, in another one those that were used when it was trusted (kept, one a line), so
// that what a run found out is not shown as stale.
func (s *Session) mayUseJDK(home string) bool {
	text, _ := s.kept.read(trustedJDKs, "")
	known := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	if slices.Contains(known, home) {
		return true
	}
	if !s.trusted() {
		return false
	}
	s.kept.write(trustedJDKs, "", []byte(strings.Join(append(known, home), "\n")))
	return true
}
