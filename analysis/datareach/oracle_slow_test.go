//go:build slow

package datareach

import "testing"

// TestAgainstMoreRunsAndFigure6 is TestAgainstRunsAndFigure6 with other programs.
func TestAgainstMoreRunsAndFigure6(t *testing.T) { checkPrograms(t, 1, 4) }
