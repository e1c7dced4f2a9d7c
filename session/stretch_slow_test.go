//go:build slow

package session

import "testing"

func TestStretchedSourcesOfOtherReleases(t *testing.T) {
	t.Run("8", func(t *testing.T) { testStretchedSources(t, 17, 8) })
	t.Run("25", func(t *testing.T) { testStretchedSources(t, 25, 25) })
}
