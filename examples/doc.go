// Package examples holds what the command must find out about the Java programs
// of this folder: filedrop/expected.json has the verdict of each catch of a small
// server. The test runs the command as a user does, with the build tool, the
// compiler and real test JVMs. It takes a minute or two, so it has the build tag
// slow.
package examples
