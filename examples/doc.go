// Package examples holds what is known about whole programs to be true of what
// the command prints about them: the verdicts of filedrop, the small server of
// this folder (filedrop/expected.json), and those of the listings of paper 001
// (testdata/known/paper001). Its tests run the command as a user does, with real
// compilers and real test JVMs; they take minutes and have the build tag slow.
package examples
