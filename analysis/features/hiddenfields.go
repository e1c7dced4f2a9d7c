package features

// This file knows the classes whose methods read and write fields of other classes.

const (
	// UnsafeClass and SunUnsafe do so by offset.
	UnsafeClass = "jdk/internal/misc/Unsafe"
	SunUnsafe   = "sun/misc/Unsafe"
	// FieldUpdater is of one field each.
	FieldUpdater = "java/util/concurrent/atomic/AtomicReferenceFieldUpdater"
)

// HidesFields tells whether methods of a class read and write fields of others.
func HidesFields(class string) bool {
	switch class {
	case "java/lang/invoke/VarHandle", UnsafeClass, SunUnsafe, FieldUpdater:
		return true
	}
	return false
}
