package natives

import "slices"

// This file is the table.

// AnySubtype after a type in Row.Throws says that a subtype may be thrown too.
const AnySubtype = "+"

const (
	ioException = "java/io/IOException"
	classDesc   = "Ljava/lang/Class;"
	loadClass   = "(Ljava/lang/String;)Ljava/lang/Class;"

	// linkageErrors come out of natives that load or initialise classes (JVMS 5.3 to 5.5).
	linkageErrors = "java/lang/LinkageError" + AnySubtype
)

// loads is what natives do that have a class loaded which another one names: the loader of that one
// is asked, and what it throws goes on (SystemDictionary::load_instance_class).
var loads = []Effect{{Loading, "java/lang/ClassLoader", "loadClass", loadClass}}

// handleSocketError are what the function of that name throws
// (src/java.base/unix/native/libnio/ch/Net.c).
var handleSocketError = []string{"java/net/ProtocolException", "java/net/ConnectException",
	"java/net/NoRouteToHostException", "java/net/BindException", "java/net/SocketException"}

// socketExceptions are these without the one that is no SocketException: that is for EPROTO, which
// neither POSIX nor Linux's manual has for the system calls of most natives.
var socketExceptions = handleSocketError[1:]

// socketErrors are these, and IOException by JNU_ThrowIOExceptionWithLastError.
var socketErrors = append(handleSocketError[:len(handleSocketError):len(handleSocketError)], ioException)

// Rows holds what is known, ordered by subject.
var Rows = slices.Concat(threadRows, reflectionRows, langRows, relayRows, fileRows, netRows, oldSocketRows(),
	undeclaredRows)

var threadRows = []Row{
	{Class: "java/lang/Thread", Name: "start0",
		Effects: []Effect{{ThreadStart, "java/lang/Thread", "run", "()V"}},
		Why:     "a platform thread starts with run (JVM_StartThread, thread_entry)"},
	{Class: "jdk/internal/vm/Continuation", Name: "enterSpecial",
		Effects: []Effect{{Upcall, "jdk/internal/vm/Continuation", "enter", "(Ljdk/internal/vm/Continuation;Z)V"}},
		Why:     "the intrinsic calls Continuation.enter on the new stack (JDK 19 and later)"},
}

var reflectionRows = []Row{
	{Class: "sun/reflect/NativeMethodAccessorImpl", Name: "invoke0", Throws: invocationThrows,
		Effects: []Effect{{Via: ReflectMethod}, {Via: Access}},
		Why: "JDK 8: Reflection::invoke wraps in InvocationTargetException what the method throws, not what " +
			"initialising its class does"},
	{Class: "jdk/internal/reflect/NativeMethodAccessorImpl", Name: "invoke0", Throws: invocationThrows,
		Effects: []Effect{{Via: ReflectMethod}, {Via: Access}},
		Why: "JDK 9 to 21: Reflection::invoke wraps in InvocationTargetException what the method throws, not " +
			"what initialising its class does"},
	{Class: "jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor", Name: "invoke0",
		Throws:  invocationThrows,
		Effects: []Effect{{Via: ReflectMethod}, {Via: Access}}, Why: "JDK 18 and later, early in start-up"},
	{Class: "sun/reflect/NativeConstructorAccessorImpl", Name: "newInstance0", Throws: newInstanceThrows,
		Effects: []Effect{{Via: ReflectNew}, {Via: Initialize}}, Why: "JDK 8: Reflection::invoke_constructor"},
	{Class: "jdk/internal/reflect/NativeConstructorAccessorImpl", Name: "newInstance0", Throws: newInstanceThrows,
		Effects: []Effect{{Via: ReflectNew}, {Via: Initialize}},
		Why:     "JDK 9 to 21: Reflection::invoke_constructor"},
	{Class: "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor", Name: "newInstance0",
		Throws:  newInstanceThrows,
		Effects: []Effect{{Via: ReflectNew}, {Via: Initialize}}, Why: "JDK 18 and later, early in start-up"},
	{Class: "java/lang/Class", Name: "newInstance", Java: true,
		Effects: []Effect{{Via: ReflectNewPlain}},
		Why: "the constructor's exception is unwrapped and thrown by Unsafe.throwException, checked ones too " +
			"(documented in Class.newInstance)"},
	{Class: "java/lang/Class", Name: "forName0", Throws: []string{"java/lang/ClassNotFoundException",
		linkageErrors},
		Effects: []Effect{{Via: Initialize}, {Upcall, "java/lang/ClassLoader", "loadClass", loadClass}},
		Why: "SystemDictionary::resolve_or_fail calls loadClass; the class may be initialised (JVMS 5.3, 5.5: " +
			"linkage errors)"},
	{Class: "java/lang/Class", Name: "getDeclaredMethods0", Creates: []string{"java/lang/reflect/Method"},
		Throws: []string{linkageErrors}, Effects: loads,
		Why: "Reflection::new_method; the types of its signature are loaded"},
	{Class: "java/lang/Class", Name: "getDeclaredConstructors0", Creates: []string{"java/lang/reflect/Constructor"},
		Throws: []string{linkageErrors}, Effects: loads,
		Why: "Reflection::new_constructor; the types of its signature are loaded"},
	{Class: "java/lang/Class", Name: "getDeclaredFields0", Creates: []string{"java/lang/reflect/Field"},
		Throws: []string{linkageErrors}, Effects: loads,
		Why: "Reflection::new_field; the types of its signature are loaded"},
	{Class: "java/lang/Class", Name: "getRecordComponents0", Creates: []string{"java/lang/reflect/RecordComponent"},
		Throws: []string{linkageErrors}, Effects: loads,
		Why: "java_lang_reflect_RecordComponent::create; the types of its signature are loaded"},
	{Class: "java/lang/reflect/Executable", Name: "getParameters0",
		Creates: []string{"java/lang/reflect/Parameter"},
		Why:     "Reflection::new_parameter"},
	{Class: "java/lang/Object", Name: "clone",
		Why: "declares CloneNotSupportedException; arrays never throw it and are not edges"},
	{Class: "sun/misc/Unsafe", Name: "ensureClassInitialized", Throws: []string{linkageErrors},
		Effects: []Effect{{Via: Initialize}, {Via: Access}}, Why: "initialises a class given as object"},
	{Class: "jdk/internal/misc/Unsafe", Name: "ensureClassInitialized0", Throws: []string{linkageErrors},
		Effects: []Effect{{Via: Initialize}, {Via: Access}}, Why: "initialises a class given as object"},
}

var (
	anyThrowable     = []string{"java/lang/Throwable" + AnySubtype}
	invocationThrows = []string{"java/lang/reflect/InvocationTargetException", "java/lang/IllegalArgumentException",
		"java/lang/NullPointerException", linkageErrors}
	newInstanceThrows = []string{"java/lang/reflect/InvocationTargetException", "java/lang/InstantiationException",
		"java/lang/IllegalArgumentException", linkageErrors}
	privilegedThrows = []string{"java/security/PrivilegedActionException"}
)

var unsatisfiedLink = []string{"java/lang/UnsatisfiedLinkError"}

var langRows = []Row{
	{Class: "java/security/AccessController", Name: "doPrivileged", Desc: "(Ljava/security/PrivilegedAction;",
		Effects: []Effect{{Upcall, "java/security/PrivilegedAction", "run", "()Ljava/lang/Object;"}},
		Why:     "native up to JDK 11 (JVM_DoPrivileged)"},
	{Class: "java/security/AccessController", Name: "doPrivileged",
		Desc:    "(Ljava/security/PrivilegedExceptionAction;",
		Throws:  privilegedThrows,
		Effects: []Effect{{Privileged, "java/security/PrivilegedExceptionAction", "run", "()Ljava/lang/Object;"}},
		Why:     "native up to JDK 11: checked exceptions wrapped in PrivilegedActionException (JVM_DoPrivileged)"},
	{Class: "java/lang/System", Name: "arraycopy",
		Throws: []string{"java/lang/ArrayStoreException", "java/lang/ArrayIndexOutOfBoundsException",
			"java/lang/NullPointerException"},
		Why: "documented in System.arraycopy"},
	{Class: "jdk/internal/loader/NativeLibraries", Name: "load", Throws: unsatisfiedLink,
		Why: "JDK 15 and later: what the loader of the system says of the file (NativeLibraries.c)"},
	{Class: "java/lang/ClassLoader$NativeLibrary", Name: "load0", Throws: unsatisfiedLink,
		Why: "JDK 9 to 14: ClassLoader.c"},
	{Class: "java/lang/ClassLoader$NativeLibrary", Name: "load", Throws: unsatisfiedLink,
		Why: "JDK 8: ClassLoader.c"},
	{Class: "java/lang/System", Name: "setIn0", Sets: "in", Why: "System.c"},
	{Class: "java/lang/System", Name: "setOut0", Sets: "out", Why: "System.c"},
	{Class: "java/lang/System", Name: "setErr0", Sets: "err", Why: "System.c"},
	{Class: "java/util/zip/Inflater", Name: "setDictionary", Throws: dictionaryThrows, Why: dictionaryWhy},
	{Class: "java/util/zip/Inflater", Name: "setDictionaryBuffer", Throws: dictionaryThrows, Why: dictionaryWhy},
	{Class: "java/util/zip/Deflater", Name: "setDictionary", Throws: dictionaryThrows, Why: dictionaryWhy},
	{Class: "java/util/zip/Deflater", Name: "setDictionaryBuffer", Throws: dictionaryThrows, Why: dictionaryWhy},
	{Class: "java/lang/StackStreamFactory$AbstractStackWalker", Name: "callStackWalk", Fills: stackFrames,
		Effects: []Effect{{Upcall, "java/lang/StackStreamFactory$AbstractStackWalker", "doStackWalk",
			"(JIIII)Ljava/lang/Object;"}},
		Why: "StackWalk::fetchFirstBatch fills the buffer and calls doStackWalk"},
	{Class: "java/lang/StackStreamFactory$AbstractStackWalker", Name: "fetchStackFrames", Fills: stackFrames,
		Why: "StackWalk::fetchNextBatch"},
	{Class: "java/lang/Throwable", Name: "addSuppressed", Java: true, Leaf: true,
		Why: "Throwable.suppressedExceptions is private and holds the empty list or an ArrayList"},
	{Class: "jdk/internal/util/Preconditions", Name: "outOfBounds", Java: true, Leaf: true,
		Why: "the function is one of this class's formatters; " +
			"every index check of String and StringBuilder passes here"},
	{Class: "java/lang/Throwable", Name: "initCause", Java: true, Leaf: true,
		Why: "calls toString of the cause only to report a second cause"},
	{Class: "java/lang/Throwable", Name: "<init>", Java: true, Foreign: true, Why: foreignToString},
	{Class: "java/lang/Throwable", Name: "toString", Java: true, Foreign: true, Why: foreignToString},
	{Class: "java/lang/Throwable", Name: "getLocalizedMessage", Java: true, Foreign: true, Why: foreignToString},
}

// dictionaryThrows are what zlib's refusal of a dictionary becomes, undeclared.
var dictionaryThrows = []string{"java/lang/IllegalArgumentException"}

const dictionaryWhy = "a stream that asks for no dictionary, or for another one: Z_STREAM_ERROR and Z_DATA_ERROR " +
	"(Inflater.c, Deflater.c)"

// stackFrames are what a walk of the stack puts into its buffer: classes, or the frames that
// reflection made for it.
var stackFrames = []string{classDesc, "Ljava/lang/StackFrameInfo;", "Ljava/lang/ClassFrameInfo;"}

const foreignToString = "what exceptions of the JDK do to describe themselves throws nothing; every wrapped " +
	"exception passes here"

const (
	scopedValueContainer = "jdk/internal/vm/ScopedValueContainer"
	throwIfFailed        = "what the operation throws is caught, and thrown by Unsafe.throwException when its " +
		"bindings are gone (JDK 21 and later)"
)

// forksJoins are the methods by which a program has its code run by tasks that others join: the JDK
// itself runs none of the program's in parallel, though each stream asks whether it is to.
var forksJoins = append([]Method{
	{"", "parallel"}, {"", "parallelStream"},
	{"java/util/concurrent/ForkJoinPool", ""}, {"java/util/concurrent/ForkJoinTask", ""},
	{"java/util/concurrent/RecursiveTask", ""}, {"java/util/concurrent/RecursiveAction", ""},
	{"java/util/concurrent/CountedCompleter", ""}, {"java/util/concurrent/Executors", "newWorkStealingPool"},
	{"java/util/Arrays", "parallelPrefix"},
	{"java/util/Arrays", "parallelSetAll"}, {"java/util/Arrays", "parallelSort"},
}, methodsOf("java/util/concurrent/ConcurrentHashMap", "forEach", "forEachKey", "forEachValue", "forEachEntry",
	"search", "searchKeys", "searchValues", "searchEntries",
	"reduce", "reduceKeys", "reduceValues", "reduceEntries")...)

// forksIfTold are those that take as their last argument whether they do.
var forksIfTold = []Method{{"java/util/stream/StreamSupport", ""}}

// methodsOf are methods of a class, by their names.
func methodsOf(class string, names ...string) (out []Method) {
	for _, n := range names {
		out = append(out, Method{class, n})
	}
	return out
}

// relayRows: code that throws, past the compiler's check, what was caught
// before.
var relayRows = []Row{
	{Class: "java/util/concurrent/ForkJoinTask", Name: "uncheckedThrow", Java: true,
		Throws: []string{"java/util/concurrent/ExecutionException", "java/lang/InterruptedException",
			"java/util/concurrent/TimeoutException", "java/util/concurrent/CancellationException"},
		Relays: []Method{{"java/util/concurrent/ForkJoinTask", "doExec"},
			{"java/util/concurrent/ForkJoinWorkerThread", "run"}},
		Asked: forksJoins, Flagged: forksIfTold,
		Why: "rethrows the exception of a task, which doExec caught; or what reportExecutionException (until JDK 21) " +
			"or getException made for get"},
	{Class: "java/util/concurrent/ForkJoinTask", Name: "reportExecutionException", Java: true, Generic: true,
		Why: "throws by uncheckedThrow what get declares"},
	{Class: "java/util/concurrent/ForkJoinTask", Name: "reportException", Java: true, Generic: true,
		Why: "the same, in JDK 25; on behalf of join and invoke, what a task threw"},
	{Class: "java/util/ResourceBundle", Name: "uncheckedThrow", Java: true,
		Throws: []string{"java/lang/reflect/InvocationTargetException"},
		Why:    "its callers pass the InvocationTargetException that they caught"},
	{Class: "jdk/internal/misc/Unsafe", Name: "throwException",
		RelaysAny: Method{"sun/misc/Unsafe", "throwException"},
		Why: "called by ScopedValueContainer (JDK 21 and later) and Class.newInstance, out of which what an " +
			"operation or a constructor throws comes as it is (their rows)"},
	{Class: scopedValueContainer, Name: "runWithoutScope", Java: true, Rethrows: true, Why: throwIfFailed},
	{Class: scopedValueContainer, Name: "doRun", Java: true, Rethrows: true, Why: throwIfFailed},
	{Class: scopedValueContainer, Name: "callWithoutScope", Java: true, Rethrows: true, Generic: true,
		Why: throwIfFailed},
	{Class: scopedValueContainer, Name: "doCall", Java: true, Rethrows: true, Generic: true, Why: throwIfFailed},
	{Class: scopedValueContainer, Name: "call", Java: true, Generic: true, Why: throwIfFailed},
	{Class: "java/lang/ScopedValue$Carrier", Name: "runWith", Java: true, Generic: true,
		Why: "does not declare what call does, for which it calls ScopedValueContainer.call"},
	{Class: "sun/misc/Unsafe", Name: "throwException", Throws: anyThrowable,
		Why: "throws its argument, whatever its type"},
	{Class: "java/lang/invoke/MethodHandleImpl", Name: "throwException", Java: true, Checked: true,
		Why: "the parameter has the type variable's type"},
}

// fileRows: these natives report failures by JNU_ThrowIOExceptionWithLastError
// or JNU_ThrowByName with one class name, never a subclass
// (src/java.base/share/native/libjava/io_util.c and its callers; libnio/ch).
var fileRows = onlyIOException([][2]string{
	{"java/io/FileInputStream", "read0"}, {"java/io/FileInputStream", "readBytes"},
	{"java/io/FileInputStream", "skip0"},
	{"java/io/FileInputStream", "available0"}, {"java/io/FileInputStream", "length0"},
	{"java/io/FileInputStream", "position0"}, {"java/io/FileInputStream", "isRegularFile0"},
	{"java/io/FileOutputStream", "write"}, {"java/io/FileOutputStream", "writeBytes"},
	{"java/io/RandomAccessFile", "read0"}, {"java/io/RandomAccessFile", "readBytes"},
	{"java/io/RandomAccessFile", "readBytes0"},
	{"java/io/RandomAccessFile", "write0"}, {"java/io/RandomAccessFile", "writeBytes"},
	{"java/io/RandomAccessFile", "writeBytes0"},
	{"java/io/RandomAccessFile", "getFilePointer"}, {"java/io/RandomAccessFile", "seek0"},
	{"java/io/RandomAccessFile", "length"},
	{"java/io/RandomAccessFile", "length0"}, {"java/io/RandomAccessFile", "setLength"},
	{"java/io/RandomAccessFile", "setLength0"},
	{"java/io/FileDescriptor", "close0"}, {"java/io/FileCleanable", "cleanupClose0"},
	{"java/io/UnixFileSystem", "canonicalize0"}, {"java/io/UnixFileSystem", "createFileExclusively"},
	{"java/io/UnixFileSystem", "createFileExclusively0"},
	{"sun/nio/ch/FileDispatcherImpl", "read0"}, {"sun/nio/ch/FileDispatcherImpl", "pread0"},
	{"sun/nio/ch/FileDispatcherImpl", "readv0"},
	{"sun/nio/ch/FileDispatcherImpl", "write0"}, {"sun/nio/ch/FileDispatcherImpl", "pwrite0"},
	{"sun/nio/ch/FileDispatcherImpl", "writev0"},
	{"sun/nio/ch/FileDispatcherImpl", "seek0"}, {"sun/nio/ch/FileDispatcherImpl", "force0"},
	{"sun/nio/ch/FileDispatcherImpl", "truncate0"},
	{"sun/nio/ch/FileDispatcherImpl", "size0"}, {"sun/nio/ch/FileDispatcherImpl", "lock0"},
	{"sun/nio/ch/FileDispatcherImpl", "release0"},
	{"sun/nio/ch/FileDispatcherImpl", "close0"}, {"sun/nio/ch/FileDispatcherImpl", "closeIntFD"},
	{"sun/nio/ch/FileDispatcherImpl", "preClose0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "read0"}, {"sun/nio/ch/UnixFileDispatcherImpl", "pread0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "readv0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "write0"}, {"sun/nio/ch/UnixFileDispatcherImpl", "pwrite0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "writev0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "seek0"}, {"sun/nio/ch/UnixFileDispatcherImpl", "force0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "truncate0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "size0"}, {"sun/nio/ch/UnixFileDispatcherImpl", "lock0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "release0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "closeIntFD"},
	{"sun/nio/ch/UnixDispatcher", "close0"}, {"sun/nio/ch/UnixDispatcher", "preClose0"},
	{"sun/nio/ch/IOUtil", "makePipe"}, {"sun/nio/ch/IOUtil", "write1"}, {"sun/nio/ch/IOUtil", "drain"},
	{"sun/nio/ch/IOUtil", "drain1"},
	{"sun/nio/ch/IOUtil", "configureBlocking"}, {"sun/nio/ch/EPoll", "create"}, {"sun/nio/ch/EPoll", "wait"},
	{"sun/nio/ch/EventFD", "eventfd0"}, {"sun/nio/ch/EventFD", "set0"},
	{"sun/nio/ch/FileDispatcherImpl", "dup0"}, {"sun/nio/ch/FileDispatcherImpl", "setDirect0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "available0"}, {"sun/nio/ch/UnixFileDispatcherImpl", "isOther0"},
	{"sun/nio/ch/UnixFileDispatcherImpl", "map0"}, {"sun/nio/ch/UnixFileDispatcherImpl", "setDirect0"},
	{"sun/nio/ch/FileChannelImpl", "map0"}, {"sun/nio/ch/FileKey", "init"},
	{"sun/nio/ch/FileChannelImpl", "transferTo0"}, {"sun/nio/ch/FileDispatcherImpl", "transferTo0"},
	{"sun/nio/ch/FileDispatcherImpl", "transferFrom0"}, {"sun/nio/ch/PollSelectorImpl", "poll"},
	{"java/nio/MappedMemoryUtils", "force0"}, {"java/nio/MappedMemoryUtils", "isLoaded0"},
	{"java/nio/MappedMemoryUtils", "load0"}, {"java/nio/MappedMemoryUtils", "unload0"},
	{"java/nio/MappedByteBuffer", "force0"}, {"java/nio/MappedByteBuffer", "isLoaded0"},
	{"java/nio/MappedByteBuffer", "load0"},
	{"sun/nio/ch/SocketDispatcher", "write0"}, {"sun/nio/ch/SocketDispatcher", "writev0"},
	{"java/lang/ProcessImpl", "forkAndExec"},
}, append([]Row{
	{Class: "java/io/FileDescriptor", Name: "sync", Throws: []string{"java/io/SyncFailedException"},
		Why: "JNU_ThrowByName (FileDescriptor_md.c)"},
	{Class: "java/io/FileDescriptor", Name: "sync0", Throws: []string{"java/io/SyncFailedException"},
		Why: "JNU_ThrowByName (FileDescriptor_md.c)"},
}, onlyFileNotFound([][2]string{
	{"java/io/FileInputStream", "open0"}, {"java/io/FileOutputStream", "open0"},
	{"java/io/RandomAccessFile", "open0"},
})...))

// oldSocketErrors are what the natives of the socket implementation up to JDK 17
// throw (src/java.base/unix/native/libnet).
var oldSocketErrors = append([]string{"java/net/SocketTimeoutException", "java/io/InterruptedIOException",
	"sun/net/ConnectionResetException",
	"java/net/PortUnreachableException"}, socketErrors...)

// oldSocketRows makes a row for each native of the old socket implementation.
func oldSocketRows() (rows []Row) {
	for _, c := range [][]string{ // a class and its methods
		{"java/net/PlainSocketImpl", "socketAccept", "socketAvailable", "socketBind", "socketClose0",
			"socketConnect",
			"socketCreate",
			"socketGetOption", "socketListen", "socketSendUrgentData", "socketSetOption0", "socketShutdown"},
		{"java/net/PlainDatagramSocketImpl", "bind0", "connect0", "dataAvailable", "datagramSocketCreate",
			"getTTL", "getTimeToLive", "join", "leave",
			"peek", "peekData", "receive0", "send0", "setTTL", "setTimeToLive", "socketGetOption",
			"socketSetOption0"},
		{"java/net/SocketInputStream", "socketRead0"},
		{"java/net/SocketOutputStream", "socketWrite0"},
		{"java/net/SocketCleanable", "cleanupClose0"},
	} {
		for _, n := range c[1:] {
			rows = append(rows, Row{Class: c[0], Name: n, Throws: oldSocketErrors,
				Why: "JNU_ThrowByName and NET_ThrowByNameWithLastError (PlainSocketImpl.c, net_util_md.c)"})
		}
	}
	return rows
}

// netRows: natives of libnio/ch. Most throw by handleSocketError alone; which ones throw a plain
// IOException was read in Net.c of JDK 17 and 25.
var netRows = slices.Concat(
	rowsOf(handleSocketError, "handleSocketError (Net.c)", [][2]string{
		{"sun/nio/ch/Net", "socket0"}, {"sun/nio/ch/Net", "connect0"},
		{"sun/nio/ch/Net", "joinOrDrop4"}, {"sun/nio/ch/Net", "joinOrDrop6"},
		{"sun/nio/ch/Net", "blockOrUnblock4"}, {"sun/nio/ch/Net", "blockOrUnblock6"},
		{"sun/nio/ch/Net", "getInterface4"}, {"sun/nio/ch/Net", "getInterface6"},
		{"sun/nio/ch/Net", "setInterface4"},
		{"sun/nio/ch/Net", "setInterface6"},
	}),
	rowsOf(socketExceptions, "handleSocketError (Net.c) after bind, listen, shutdown, getsockname, getpeername, poll "+
		"or FIONREAD, none with EPROTO", [][2]string{
		{"sun/nio/ch/Net", "bind0"}, {"sun/nio/ch/Net", "listen"}, {"sun/nio/ch/Net", "shutdown"},
		{"sun/nio/ch/Net", "localPort"}, {"sun/nio/ch/Net", "remotePort"},
		{"sun/nio/ch/Net", "poll"}, {"sun/nio/ch/Net", "available"},
	}),
	rowsOf([]string{"java/net/SocketException"}, "JNU_ThrowByNameWithLastError (Net.c)", [][2]string{
		{"sun/nio/ch/Net", "getIntOption0"}, {"sun/nio/ch/Net", "setIntOption0"},
	}),
	rowsOf([]string{ioException}, "JNU_ThrowIOExceptionWithLastError (Net.c, convertReturnVal)", [][2]string{
		{"sun/nio/ch/Net", "sendOOB"},
	}),
	[]Row{
		{Class: "sun/nio/ch/Net", Name: "accept", Throws: []string{ioException},
			Fills: []string{"Ljava/net/InetSocketAddress;"},
			Why:   "JNU_ThrowIOExceptionWithLastError (Net.c); the array gets the remote address"},
		{Class: "sun/nio/ch/ServerSocketChannelImpl", Name: "accept0", Throws: []string{ioException},
			Fills: []string{"Ljava/net/InetSocketAddress;"},
			Why:   "the same up to JDK 10 (ServerSocketChannelImpl.c)"},
		{Class: "sun/nio/ch/UnixAsynchronousServerSocketChannelImpl", Name: "accept0",
			Throws: []string{ioException},
			Fills:  []string{"Ljava/net/InetSocketAddress;"},
			Why:    "the same up to JDK 10 (UnixAsynchronousServerSocketChannelImpl.c)"},
		{Class: "sun/nio/ch/UnixDomainSockets", Name: "accept0", Throws: socketErrors, Fills: []string{"[B"},
			Why: "handleSocketError, or JNU_ThrowIOExceptionWithLastError (UnixDomainSockets.c); the array gets " +
				"the path"},
		{Class: "java/util/prefs/Preferences", Name: "factory1", Java: true, Creates: preferencesFactories,
			Why: "up to JDK 24 it chooses one of three names of classes by the operating system; without a setting " +
				"or provider that says another one"},
		{Class: "java/util/prefs/Preferences", Name: "factory", Java: true, Creates: preferencesFactories,
			Why: "the same since JDK 25"},
		{Class: "javax/management/MBeanServerFactory", Name: "newBuilder", Java: true,
			Creates: []string{"javax/management/MBeanServerBuilder"},
			Why: "checkMBeanServerBuilder passes it the constant of this class, or the one that " +
				"javax.management.builder.initial names"},
		{Class: "java/net/InetAddress", Name: "loadImpl", Java: true,
			Creates: []string{"java/net/Inet4AddressImpl", "java/net/Inet6AddressImpl"},
			Named:   Method{"java/net/InetAddressImplFactory", "create"},
			Why:     "up to JDK 17 it puts the name of the class together"},
		{Class: "java/net/Inet4AddressImpl", Name: "lookupAllHostAddr", Creates: inetAddresses,
			Why: "Inet4AddressImpl.c"},
		{Class: "java/net/Inet6AddressImpl", Name: "lookupAllHostAddr", Creates: inetAddresses,
			Why: "Inet6AddressImpl.c"},
		{Class: "java/net/Inet4AddressImpl", Name: "getLocalHostName", Silent: true, Why: neverFails},
		{Class: "java/net/Inet6AddressImpl", Name: "getLocalHostName", Silent: true, Why: neverFails},
		{Class: "sun/nio/ch/Net", Name: "localInetAddress", Throws: socketExceptions, Creates: inetAddresses,
			Why: "handleSocketError (Net.c) after getsockname, which has no EPROTO; NET_SockaddrToInetAddress"},
		{Class: "sun/nio/ch/Net", Name: "remoteInetAddress", Throws: socketExceptions, Creates: inetAddresses,
			Why: "handleSocketError (Net.c) after getpeername, which has no EPROTO; NET_SockaddrToInetAddress"},
	},
	rowsOf(socketErrors, "handleSocketError, or JNU_ThrowIOExceptionWithLastError where poll fails (Net.c)",
		[][2]string{
			{"sun/nio/ch/Net", "pollConnect"}, {"sun/nio/ch/Net", "discardOOB"},
			{"sun/nio/ch/UnixDomainSockets", "socket0"}, {"sun/nio/ch/UnixDomainSockets", "bind0"},
			{"sun/nio/ch/UnixDomainSockets", "connect0"},
			{"sun/nio/ch/UnixDomainSockets", "localAddress0"},
			{"sun/nio/ch/UnixAsynchronousSocketChannelImpl", "checkConnect"},
			{"sun/nio/ch/DatagramChannelImpl", "disconnect0"},
		}),
	rowsOf(datagramErrors, "ECONNREFUSED has a class of its own (DatagramChannelImpl.c, DatagramDispatcher.c)",
		[][2]string{
			{"sun/nio/ch/DatagramChannelImpl", "receive0"}, {"sun/nio/ch/DatagramChannelImpl", "send0"},
			{"sun/nio/ch/DatagramDispatcher", "read0"}, {"sun/nio/ch/DatagramDispatcher", "readv0"},
			{"sun/nio/ch/DatagramDispatcher", "write0"}, {"sun/nio/ch/DatagramDispatcher", "writev0"},
		}),
	rowsOf(connectionReset, "ECONNRESET has a class of its own (SocketDispatcher.c)", [][2]string{
		{"sun/nio/ch/SocketDispatcher", "read0"}, {"sun/nio/ch/SocketDispatcher", "readv0"},
	}))

const neverFails = "where gethostname fails the name is localhost (Inet4AddressImpl.c, Inet6AddressImpl.c)"

var inetAddresses = []string{"java/net/Inet4Address", "java/net/Inet6Address"}

var datagramErrors = append([]string{"java/net/PortUnreachableException"}, socketErrors...)

var connectionReset = []string{"sun/net/ConnectionResetException", ioException}

// onlyIOException makes a row for each (class, method), and adds others.
func onlyIOException(methods [][2]string, more []Row) []Row {
	for _, m := range methods {
		more = append(more, Row{Class: m[0], Name: m[1], Throws: []string{ioException},
			Why: "JNU_ThrowIOExceptionWithLastError"})
	}
	return more
}

// onlyFileNotFound makes a row for each (class, method).
func onlyFileNotFound(methods [][2]string) (rows []Row) {
	for _, m := range methods {
		rows = append(rows, Row{Class: m[0], Name: m[1], Throws: []string{"java/io/FileNotFoundException"},
			Why: "throwFileNotFoundException (io_util.c)"})
	}
	return rows
}

// rowsOf makes a row for each (class, method).
func rowsOf(throws []string, why string, methods [][2]string) (rows []Row) {
	for _, m := range methods {
		rows = append(rows, Row{Class: m[0], Name: m[1], Throws: throws, Why: why})
	}
	return rows
}

// loading are rows of natives that have classes loaded.
func loading(rows []Row) []Row {
	for i := range rows {
		rows[i].Effects = loads
	}
	return rows
}

// Entries are the methods that the VM calls by itself.
var Entries = []Entry{
	{"java/lang/System", "initializeSystemClass", "start-up, JDK 8 (Threads::create_vm)"},
	{"java/lang/System", "initPhase1", "start-up, JDK 9 and later"},
	{"java/lang/System", "initPhase2", "start-up: modules"},
	{"java/lang/System", "initPhase3", "start-up: class loaders"},
	{"java/lang/Thread", "<init>", "the main thread"},
	{"java/lang/Thread", "exit", "JavaThread::exit"},
	{"java/lang/Thread", "dispatchUncaughtException", "JavaThread::exit, on an uncaught exception"},
	{"java/lang/ref/Finalizer", "register", "on construction of an object with a finalizer"},
	{"java/lang/ref/Finalizer$FinalizerThread", "run", "the VM's finalizer thread"},
	{"java/lang/ref/Reference$ReferenceHandler", "run", "the VM's reference handler"},
	{"java/lang/Shutdown", "shutdown", "JavaThread::invoke_shutdown_methods"},
	{"java/lang/ClassLoader", "getSystemClassLoader", "launcher"},
	{"java/lang/ClassLoader", "loadClass", "resolution of symbolic references (SystemDictionary::load_instance_class)"},
	{"java/lang/ClassLoader", "addClass", "define_instance_class, up to JDK 21"},
	{"java/lang/ClassLoader", "checkPackageAccess", "validate_protection_domain, up to JDK 23"},
	{"jdk/internal/misc/Signal", "dispatch", "signal dispatcher"},
	{"sun/misc/Signal", "dispatch", "signal dispatcher, JDK 8"},
	{"sun/launcher/LauncherHelper", "checkAndLoadMain", "launcher"},
}

// Fields holds the fields of the JDK that code outside the class files writes, those of references.
var Fields = slices.Concat(
	fieldsOf("java/lang/Class", "java_lang_Class (javaClasses.cpp): the constructor never runs",
		"classLoader", "module", "componentType", "name", "classData", "protectionDomain", "signers"),
	fieldsOf("java/lang/StackTraceElement", "java_lang_StackTraceElement::fill_in",
		"declaringClass", "declaringClassObject", "classLoaderName", "moduleName", "moduleVersion", "methodName",
		"fileName"),
	fieldsOf("java/lang/Throwable", "java_lang_Throwable::set_backtrace", "backtrace"),
	// What code outside wraps: no constructor of the wrapper is seen to run.
	[]Written{
		{
			Class: "java/lang/Throwable",
			Name:  "cause",
			Of:    []string{"java/lang/LinkageError", "java/lang/reflect/UndeclaredThrowableException"},
			Why: "InstanceKlass::initialize_impl, Exceptions::wrap_dynamic_exception; the code of proxies " +
				"(ProxyGenerator)",
		},
	},
	fieldsOf("java/lang/ExceptionInInitializerError", "up to JDK 11, as its cause since", "exception"),
	fieldsOf("java/lang/reflect/UndeclaredThrowableException", "up to JDK 13, as its cause since",
		"undeclaredThrowable"),
	fieldsOf("java/lang/reflect/InvocationTargetException", "Reflection::invoke, up to JDK 21", "target"),
	fieldsOf("java/security/PrivilegedActionException", "JVM_DoPrivileged, up to JDK 11", "exception"),
	fieldsOf("java/lang/reflect/Method", "Reflection::new_method",
		"clazz", "name", "returnType", "parameterTypes", "exceptionTypes", "signature", "annotations",
		"parameterAnnotations", "annotationDefault"),
	fieldsOf("java/lang/reflect/Constructor", "Reflection::new_constructor",
		"clazz", "parameterTypes", "exceptionTypes", "signature", "annotations", "parameterAnnotations"),
	fieldsOf("java/lang/reflect/Field", "Reflection::new_field", "clazz", "name", "type", "signature",
		"annotations"),
	fieldsOf("java/lang/reflect/Parameter", "Reflection::new_parameter", "name", "executable"),
	fieldsOf("java/lang/reflect/RecordComponent", "java_lang_reflect_RecordComponent::create",
		"clazz", "name", "type", "accessor", "signature", "annotations", "typeAnnotations"),
	fieldsOf("java/lang/ref/Reference", "the garbage collector", "discovered", "pending"),
	fieldsOf("java/lang/ThreadGroup", "create_initial_thread_group", "parent", "name"),
	fieldsOf("java/lang/AssertionStatusDirectives", "JavaAssertions::createAssertionStatusDirectives", "classes",
		"packages"),
	fieldsOf("java/lang/ProcessHandleImpl$Info", "ProcessHandleImpl_unix.c", "command", "commandLine", "arguments",
		"user"),
	fieldsOf("java/lang/invoke/MemberName", "java_lang_invoke_MemberName, MethodHandles::expand_MemberName",
		"clazz",
		"name", "method"),
	[]Written{{Class: "java/lang/invoke/MemberName", Name: "type", Why: "MethodHandles::expand_MemberName",
		Holds: []string{"Ljava/lang/invoke/MethodType;", classDesc, "Ljava/lang/String;"}}},
	fieldsOf("java/lang/invoke/CallSite", "MethodHandleNatives.setCallSiteTargetNormal and -Volatile", "target"),
	fieldsOf("java/lang/StackFrameInfo", "expandStackFrameInfo (JDK 22 and later)", "name"),
	[]Written{
		{Class: "java/lang/StackFrameInfo", Name: "type",
			Holds: []string{"Ljava/lang/invoke/MethodType;", "Ljava/lang/String;"},
			Why:   "expandStackFrameInfo (JDK 22 and later)"},
		{Class: "java/lang/ClassFrameInfo", Name: "classOrMemberName",
			Holds: []string{classDesc, "Ljava/lang/invoke/ResolvedMethodName;"},
			Why:   "java_lang_ClassFrameInfo (JDK 22 and later)"},
	},
	fieldsOf("java/lang/LiveStackFrameInfo", "LiveFrameStream::fill_live_stackframe", "monitors", "locals",
		"operands"),
	fieldsOf("java/security/AccessControlContext", "java_security_AccessControlContext::create, up to JDK 23",
		"context", "privilegedContext"),
	fieldsOf("java/net/InetAddress", "InetAddress.c makes addresses", "holder"),
	fieldsOf("java/net/InetAddress$InetAddressHolder", "setInetAddress_hostName (net_util.c)", "hostName",
		"originalHostName"),
	fieldsOf("java/net/Inet6Address", "Inet6Address.c makes addresses", "holder6"),
	fieldsOf("java/net/Inet6Address$Inet6AddressHolder", "setInet6Address_scopeifname (net_util.c)", "scope_ifname",
		"ipaddress"),
	fieldsOf("java/net/InetSocketAddress", "NET_SockaddrToInetSocketAddress and Net.accept make addresses",
		"holder"),
	fieldsOf("java/net/InetSocketAddress$InetSocketAddressHolder", "Net.accept passes it to the constructor",
		"addr"),
	fieldsOf("java/net/NetworkInterface", "createNetworkInterface (NetworkInterface.c)", "name", "displayName",
		"addrs",
		"bindings", "childs", "parent"),
	fieldsOf("java/net/InterfaceAddress", "createNetworkInterface (NetworkInterface.c)", "address", "broadcast"),
	fieldsOf("java/net/SocketImpl", "PlainSocketImpl.socketAccept, up to JDK 17", "address"),
	fieldsOf("java/net/DatagramPacket", "PlainDatagramSocketImpl.receive0, up to JDK 17", "address", "buf"),
)

// fieldsOf makes a row for each field of a class.
func fieldsOf(class, why string, names ...string) (rows []Written) {
	for _, n := range names {
		rows = append(rows, Written{Class: class, Name: n, Why: why})
	}
	return rows
}

// preferencesFactories are what Preferences makes one of, whichever the JDK has.
var preferencesFactories = []string{"java/util/prefs/FileSystemPreferencesFactory",
	"java/util/prefs/MacOSXPreferencesFactory", "java/util/prefs/WindowsPreferencesFactory"}

// Creates are classes of which the VM makes objects by itself.
var Creates = []string{
	"java/lang/Object", "java/lang/String", "java/lang/Class", "java/lang/Thread", "java/lang/ThreadGroup",
	"java/lang/Module",
	"java/lang/StackTraceElement", "java/lang/invoke/MemberName", "java/lang/invoke/ResolvedMethodName",
	"java/lang/invoke/MethodType", "java/security/ProtectionDomain", "java/security/AccessControlContext",
	"java/lang/ref/Finalizer", "java/util/Properties", "java/nio/DirectByteBuffer",
	"java/lang/Boolean", "java/lang/Byte", "java/lang/Character", "java/lang/Short", "java/lang/Integer",
	"java/lang/Long", "java/lang/Float", "java/lang/Double",
	"java/lang/NullPointerException", "java/lang/ArithmeticException", "java/lang/ArrayIndexOutOfBoundsException",
	"java/lang/ArrayStoreException", "java/lang/ClassCastException", "java/lang/NegativeArraySizeException",
	"java/lang/IllegalMonitorStateException", "java/lang/OutOfMemoryError", "java/lang/StackOverflowError",
	"java/lang/InternalError", "java/lang/UnsatisfiedLinkError", "java/lang/NoClassDefFoundError",
	"java/lang/ClassNotFoundException",
	"java/lang/ExceptionInInitializerError", "java/lang/BootstrapMethodError", "java/lang/AbstractMethodError",
	"java/lang/IncompatibleClassChangeError", "java/lang/NoSuchMethodError", "java/lang/NoSuchFieldError",
	"java/lang/IllegalAccessError",
	"java/lang/VerifyError", "java/lang/ClassFormatError", "java/lang/InterruptedException",
	"java/lang/CloneNotSupportedException",
	"java/lang/InstantiationException", "java/lang/IllegalArgumentException",
	"java/lang/reflect/InvocationTargetException",
}
