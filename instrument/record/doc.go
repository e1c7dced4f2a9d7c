// Package record is what runs showed, and how it is kept: test runs, cells of the short-circuit
// matrix, runs with faults and with stretched catches, code that only runs see, and the
// environments that all of them belong to. Memory recalls and keeps them. Nothing here runs
// anything, and nothing of instrument stands below.
package record
