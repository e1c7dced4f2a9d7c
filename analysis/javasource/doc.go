// Package javasource finds where each try, catch and throw stands in Java
// source text, and which handlers of the class files each catch became.
package javasource
