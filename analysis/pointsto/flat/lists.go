package flat

import "slices"

// Grown is a list with room for n more elements. slices.Grow would write to all of the new memory,
// which the operating system need not give before it is used.
func Grown[T any](list []T, n int) []T {
	return append(make([]T, 0, len(list)+n), list...)
}

// Append is append that doubles the memory.
func Append[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = Grown(list, max(1024, len(list)))
	}
	return append(list, x)
}

// Roomy is a copy with some room to grow.
func Roomy[T any](list []T) []T {
	return append(make([]T, 0, len(list)+len(list)/64+1024), list...)
}

// Clipped is a copy of lists that grow apart from the originals.
func Clipped[T any](lists [][]T) [][]T {
	out := slices.Clone(lists)
	for i := range out {
		out[i] = slices.Clip(out[i])
	}
	return out
}

// Cloned is a copy of lists whose members change.
func Cloned[T any](lists [][]T) [][]T {
	out := slices.Clone(lists)
	for i := range out {
		out[i] = slices.Clone(out[i])
	}
	return out
}
