// Package generics finds the calls at which a Java compiler's promise about a type variable is
// broken: where a checked exception may come out that the caller's code was compiled without.
//
// A method "R get() throws E" may throw whatever E stands for, and the compiler of a call sees to
// it that the caller catches or declares that. It believes what it is told of E. An unchecked cast,
// or the conversion of a raw type, tells it something else (heap pollution, JLS 4.12.2), and class
// files have neither: types are erased in code. What they have are the signatures of classes,
// fields and methods (JVMS 4.7.9.1).
//
// # Input and result
//
// Input is a call graph with its hierarchy and the facts of methods, whose flow says where values
// come from. [Promises.Thrown] gives for a call the classes that the variables of the throws clause
// are known to stand for: by the static types of the places that the receiver, or the arguments
// whose types name the variable, come from, each in its own method. If the caller neither catches
// nor declares one that is checked, the promise is broken.
//
// # The rules
//
//   - A parameter, a field or a result has the type that its signature writes. A wildcard stands for
//     its bound, a variable of the method for the bound of that, a raw type for the bound of the
//     parameter (JLS 4.8, 5.1.10). What a variable of another class or method stands for is asked of
//     the object that the field is read of or the method called on, or of its arguments.
//   - Where the type says which class the argument is, it may have been told so by a cast
//     elsewhere: what callers pass, what is stored in the field and what the method returns is asked
//     as well (valueflow.go). Where it says a variable, only types that say a class or a wildcard count:
//     "static <E> Getter<E> nothing()" that returns a constant of a raw type is usual, and harmless.
//   - What lambdas and classes in methods capture is what they are made with.
//   - A lambda throws what its code declares, or what that calls declares.
//   - A variable that neither the receiver nor a parameter's type names may stand for anything.
//
// # Precision and soundness
//
// Nothing is taken to be broken that no type shows: what comes out of arrays, collections and new
// objects of generic classes has no type in class files, and neither have the parameters of lambdas
// that are not captured. Fields are followed to stores in their own class and those around it,
// values through eight steps. Of the JDK's own classes only methods that throw a variable have
// signatures in their records; their other methods and their fields tell nothing. A reference to a
// method is looked at only if the object is given with it (g::get, not Getter::get), and if the
// functional interface declares nothing. Honest code, for which javac gives no unchecked warning,
// has no broken promise, whatever the call graph. A class file without signatures looks like one of
// raw types.
//
// # Cost
//
// Only calls of methods with a type variable in the throws clause are looked at, of callers that do
// not declare its bound: 120 of the 250,000 of commons-lang3.
package generics
