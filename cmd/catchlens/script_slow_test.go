//go:build slow

package main

import "testing"

// Scripts whose users run their tests.
func TestSlowScripts(t *testing.T) { runScripts(t, "testdata/slow") }
