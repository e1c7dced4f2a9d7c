// Package flat keeps what a points-to analysis has millions of as they are in memory without
// pointers: lists that grow by doubling, and hash tables of numbers. It copies them for who goes on
// from what another has found, and writes them for the next process.
package flat
