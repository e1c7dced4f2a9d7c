package features

import "github.com/catchlens/catchlens/analysis/facts"

// This file names methods, and what has changed of them.

// MethodRef names a method: internal class name, name, descriptor. An empty
// descriptor stands for all methods of that name.
type MethodRef struct{ Class, Name, Desc string }

// ChangedMethods are the methods of a class that are different, by position.
type ChangedMethods struct {
	Class   *facts.Class // the facts of now
	Methods []int        // methods of Class that have other code than before
	Added   []int        // methods of Class that it did not have
	Gone    []int        // methods that it has no more, by position before
}

// MethodKey names a method of some class.
type MethodKey struct{ Name, Desc string }
