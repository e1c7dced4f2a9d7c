// Package natives is the table of what code outside the class files does: the native methods of the
// JDK that call back into Java, make objects, or throw something other than what they declare, the
// fields that they and the VM write, the methods that the VM calls by itself, and the few Java
// methods of the JDK that are taken for what they are documented to do, because their code says
// less than is known of it. Each row says why it is there; the sources are the JDK's C and C++
// files and the specification of the classes.
//
// A native method without a row is taken at its word: it throws what it
// declares, or a subtype, makes at most an object of its return type, and calls
// nothing. Natives that do not occur in the analysed JDK cost nothing.
//
// # To add a native method that throws
//
// Add a [Row] to the list of its subject in table.go, with internal names: Class, Name, Throws
// (exact types, with [AnySubtype] behind one of which subclasses come, too) and Why. Methods that
// report failures by one function of the JDK share one call of rowsOf or onlyIOException. What is
// declared already needs no row, unless it is always the declared type itself. Then
//
//	go test ./analysis/callgraph -run TestTableOfNatives   each row against the JDKs here
//	go test ./analysis/faults                              which faults strike it: a line of table.txt
//	catchlens explain FILE:LINE METHOD                     the links that come of it
//
// A program with the expected answer belongs into testdata/known/exceptions.
package natives

import "strings"

// Via says how a target is reached.
type Via uint8

// Kinds of effects.
const (
	Upcall      Via = iota // native code calls the method; its exceptions stay pending
	ThreadStart            // the method runs in another thread
	Finalizer              // the VM calls it and drops exceptions
	// any method that reflection may invoke; exceptions wrapped in InvocationTargetException
	ReflectMethod
	ReflectNew         // any constructor that reflection may invoke; wrapped likewise
	ReflectNewPlain    // the same, exceptions as they are
	Privileged         // run() of a PrivilegedExceptionAction; checked exceptions wrapped
	Initialize         // class initialisers of classes named by constants for forName or newInstance
	Access             // class initialisers of classes whose static members reflection or handles use
	HandlePool         // any method behind a method handle that reached code looked up
	ReflectMethodPlain // any method that reflection may invoke; exceptions as they are
	// Upcall on class loaders outside the JDK (each program has the JDK's own), which gives nothing
	// back: the native has a result of its own
	Loading
)

// Effect is one thing a method does besides its byte code.
type Effect struct {
	Via               Via
	Class, Name, Desc string // the dispatched method, for Upcall, Loading, ThreadStart, Finalizer, Privileged
}

// Row is what is known of one method, in all its overloads.
type Row struct {
	Class, Name string
	Desc        string   // if not empty, only overloads whose descriptor starts so
	Java        bool     // holds even where the method is written in Java; without it only for native methods
	Throws      []string // exact types, instead of what is declared
	Silent      bool     // throws nothing, whatever it declares
	Effects     []Effect
	Creates     []string // classes it makes objects of, besides its return type, as far as the JDK has them
	// Named: of these the one whose simple name this method passes, where that is a constant.
	Named Method
	// Sets is the static field of its class that its argument is stored in.
	Sets string
	// Fills: types, as descriptors, of objects that it makes and puts into the arrays that it is
	// given.
	Fills []string
	// Leaf: what it calls is of no interest: its calls are left out, except for
	// those of constructors.
	Leaf bool
	// Foreign: of the methods that its virtual calls select, those of other
	// classes of the JDK are left out.
	Foreign bool
	// Relays: what it throws is what these caught before, and what Throws says; nothing
	// else, unless RelaysAny is reached too.
	Relays    []Method
	RelaysAny Method
	// Asked: it relays anything only if code outside the JDK calls one of these, or one of Flagged
	// with a last argument that is not the constant false.
	Asked, Flagged []Method
	// Rethrows: what its handlers catch leaves it, as if they threw it again.
	Rethrows bool
	// Generic: it passes on what it calls throws as if its throws clause were a type
	// variable that may be any exception: a checked one goes on to callers that declare it.
	Generic bool
	// Checked: its type variable stands for the real type of what it throws; no
	// unchecked cast is involved.
	Checked bool
	Why     string
}

// completes are the methods of CompletableFuture and its parts that catch what tasks
// throw and complete a future with it.
var completes = func() (out []Method) {
	for _, part := range [...]string{"AsyncSupply", "AsyncRun", "UniApply", "UniAccept", "UniRun", "UniWhenComplete",
		"UniHandle", "UniExceptionally",
		"UniCompose", "UniComposeExceptionally", "BiApply", "BiAccept", "BiRun", "OrApply", "OrAccept", "OrRun"} {
		out = append(out, Method{"java/util/concurrent/CompletableFuture$" + part, ""})
	}
	return append(out, Method{"java/util/concurrent/CompletableFuture", ""})
}()

// surfacing has the methods that throw what ended a task, wrapped, where its result is
// asked for: the methods whose handlers for Throwable caught it.
var surfacing = map[Method][]Method{
	{"java/util/concurrent/FutureTask", "report"}: {{"java/util/concurrent/FutureTask", "run"},
		{"java/util/concurrent/FutureTask", "runAndReset"}},

	{"java/util/concurrent/CompletableFuture", "reportGet"}:  completes,
	{"java/util/concurrent/CompletableFuture", "reportJoin"}: completes,

	// JDK 8 throws it in the first, since 9 in the second.
	{"java/util/concurrent/ForkJoinTask", "get"}:            {{"java/util/concurrent/ForkJoinTask", "doExec"}},
	{"java/util/concurrent/ForkJoinTask", "uncheckedThrow"}: {{"java/util/concurrent/ForkJoinTask", "doExec"}},
}

// Surfacing lists the methods whose handlers for Throwable caught what a method throws
// as the cause of an ExecutionException or CompletionException; nil for most.
func Surfacing(class, name string) []Method {
	if !strings.HasPrefix(class, "java/util/concurrent/") {
		return nil
	}
	return surfacing[Method{class, name}]
}

// OfJDK tells whether a class belongs to the JDK, by its package.
func OfJDK(class string) bool {
	for _, p := range [...]string{"java/", "javax/", "jdk/", "sun/", "com/sun/", "org/ietf/jgss/", "org/w3c/dom/",
		"org/xml/sax/"} {
		if strings.HasPrefix(class, p) {
			return true
		}
	}
	return false
}

// Written is a field that code outside the class files writes. It may hold what a native
// could return that has the field's type.
type Written struct {
	Class, Name string
	Holds       []string // types, as descriptors, where that of the field says too little
	Of          []string // exceptions: it is written in objects of these and of their subclasses only; nil: in all
	Why         string
}

// Field returns what is known of a field that code outside the class files writes; ok is
// false for all others.
func Field(class, name string) (w *Written, ok bool) {
	i, ok := written[[2]string{class, name}]
	if !ok {
		return nil, false
	}
	return &Fields[i], true
}

// written finds Fields by class and name.
var written = func() map[[2]string]int {
	m := make(map[[2]string]int, len(Fields))
	for i := range Fields {
		m[[2]string{Fields[i].Class, Fields[i].Name}] = i
	}
	return m
}()

// Method names methods of a class; an empty Name stands for all of them.
type Method struct{ Class, Name string }

// Model returns the row of a method; ok is false when it has none.
func Model(class, name, desc string, native bool) (row *Row, ok bool) {
	for _, i := range index[[2]string{class, name}] {
		if r := &Rows[i]; (native || r.Java) && strings.HasPrefix(desc, r.Desc) {
			return r, true
		}
	}
	return nil, false
}

// index finds rows by class and method name.
var index = func() map[[2]string][]int {
	m := make(map[[2]string][]int, len(Rows))
	for i := range Rows {
		k := [2]string{Rows[i].Class, Rows[i].Name}
		m[k] = append(m[k], i)
	}
	return m
}()

// Entry is a method that the VM calls by itself.
type Entry struct {
	Class, Name string
	Why         string
}
