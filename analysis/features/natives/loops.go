package natives

import "slices"

// HandleHelpers is the class of the JDK whose methods handles call that MethodHandles makes of
// others.
const HandleHelpers = "java/lang/invoke/MethodHandleImpl"

// loopHelpers are those that MethodHandles.iteratedLoop has called on what a loop goes through. The
// JDK looks up the handles of all helpers in MethodHandleImpl.makeConstantHandle, by a number. That
// combinator, which is there from JDK 9 on, alone asks for these.
var loopHelpers = []string{"initIterator", "iteratePredicate", "iterateNext"}

// LoopHelper tells whether a method is one that only handles of loops call.
func LoopHelper(class, method string) bool {
	return class == HandleHelpers && slices.Contains(loopHelpers, method)
}

// LoopHelpers names the methods of HandleHelpers that handles call which a method makes: none,
// where it does not make handles of loops.
func LoopHelpers(class, method string) []string {
	if class == "java/lang/invoke/MethodHandles" && method == "iteratedLoop" {
		return loopHelpers
	}
	return nil
}
