//go:build !unix

package bounded

// noWait is nothing where pipes have names of their own.
const noWait = 0
