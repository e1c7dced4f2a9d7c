package clause

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file holds the tables of what is understood without code: classes whose
// objects never change, and calls that depend on nothing but their operands.

// immutable are classes whose objects do not change, or whose state is no matter of the
// program (File and Path name files, they are none; an address finds out its name once).
var immutable = setOf(
	"java/lang/String", "java/lang/Boolean", "java/lang/Byte", "java/lang/Character", "java/lang/Short",
	"java/lang/Integer",
	"java/lang/Long", "java/lang/Float", "java/lang/Double", "java/lang/Number", "java/lang/Class", "java/lang/Void",
	"java/lang/StackTraceElement", "java/math/BigInteger", "java/math/BigDecimal", "java/math/MathContext",
	"java/util/UUID", "java/util/Locale", "java/util/OptionalInt", "java/util/OptionalLong", "java/util/OptionalDouble",
	"java/util/regex/Pattern", "java/util/regex/PatternSyntaxException", "java/net/URI", "java/net/URL", "java/io/File",
	"java/nio/file/Path",
	"java/nio/charset/Charset", "java/util/Currency", "java/util/logging/Level",
	"java/net/InetAddress", "java/net/Inet4Address", "java/net/Inet6Address", "java/net/InetSocketAddress",
	"javax/management/ObjectName",
)

// immutablePackages are packages of such classes.
var immutablePackages = []string{"java/time/", "org/slf4j/event/"}

// valueCalls are classes all of whose methods depend on their operands alone, beside
// the immutable ones.
var valueCalls = setOf(
	"java/lang/Math", "java/lang/StrictMath", "java/util/Objects", "java/util/Optional", "java/util/Collections",
	"java/util/Arrays",
	"java/util/List", "java/util/Set", "java/util/Map", "java/util/Map$Entry", "java/lang/StringBuilder",
	"java/lang/StringBuffer",
	"java/util/StringJoiner", "java/util/ArrayList", "java/util/LinkedList", "java/util/HashMap",
	"java/util/LinkedHashMap",
	"java/util/TreeMap", "java/util/HashSet", "java/util/LinkedHashSet", "java/util/TreeSet",
	"java/util/concurrent/TimeUnit",
	"java/io/StringWriter", "java/io/PrintWriter", "java/io/ByteArrayInputStream", "java/io/ByteArrayOutputStream",
	"java/util/concurrent/CompletableFuture", "java/util/Iterator", "java/util/stream/Stream", "java/lang/Object",
	"java/lang/Enum",
)

// outside are the methods of immutable and value classes that look at what is outside of
// the JVM, or at settings, as Class.method; a method of "*" stands for all but those in inside.
var outside = setOf(
	"java/io/File.exists", "java/io/File.delete", "java/io/File.length", "java/io/File.isFile",
	"java/io/File.isDirectory",
	"java/io/File.canRead", "java/io/File.canWrite", "java/io/File.canExecute", "java/io/File.isHidden",
	"java/io/File.lastModified",
	"java/io/File.createNewFile", "java/io/File.deleteOnExit", "java/io/File.list", "java/io/File.listFiles",
	"java/io/File.mkdir",
	"java/io/File.mkdirs", "java/io/File.renameTo", "java/io/File.setLastModified", "java/io/File.setReadOnly",
	"java/io/File.setReadable",
	"java/io/File.setWritable", "java/io/File.setExecutable", "java/io/File.createTempFile",
	"java/io/File.getCanonicalPath",
	"java/io/File.getCanonicalFile", "java/io/File.getFreeSpace", "java/io/File.getTotalSpace",
	"java/io/File.getUsableSpace",
	"java/io/File.listRoots", "java/net/URL.openStream", "java/net/URL.openConnection", "java/net/URL.getContent",
	"java/net/InetAddress.getByName", "java/net/InetAddress.getAllByName", "java/net/InetAddress.getLocalHost",
	"java/net/InetAddress.getHostName", "java/net/InetAddress.getCanonicalHostName",
	"java/net/InetAddress.isReachable", "java/net/InetSocketAddress.<init>",
	"java/net/InetSocketAddress.getHostName",
	"java/nio/file/Path.toRealPath", "java/nio/file/Path.register", "java/lang/Integer.getInteger",
	"java/lang/Long.getLong",
	"java/lang/Boolean.getBoolean", "java/util/Locale.setDefault", "java/lang/Class.forName",
	"java/lang/Class.newInstance",
	"java/lang/Class.getResource", "java/lang/Class.getResourceAsStream", "java/lang/Object.wait",
	"java/lang/Object.notify",
	"java/lang/Object.notifyAll", "java/util/Optional.orElseGet", "java/util/Optional.map",
	"java/util/Optional.flatMap",
	"java/util/Optional.ifPresent", "java/util/Optional.filter", "java/util/concurrent/TimeUnit.timedWait",
)

// harmless are single methods that depend on nothing that a program sets up, whatever
// their receiver is.
var harmless = setOf(
	"java/lang/Thread.currentThread", "java/lang/Thread.interrupt", "java/lang/Thread.sleep", "java/lang/Thread.yield",
	"java/lang/Thread.onSpinWait", "java/lang/Thread.getName", "java/lang/Thread.getId", "java/lang/Thread.threadId",
	"java/lang/System.currentTimeMillis", "java/lang/System.nanoTime", "java/lang/System.identityHashCode",
	"java/lang/System.lineSeparator",
	"java/lang/System.getLogger", "java/lang/Object.getClass", "java/lang/Thread.getStackTrace", "java/lang/Enum.name",
	"java/lang/Enum.ordinal",
	"java/util/concurrent/TimeUnit.sleep",
	"java/io/PrintStream.print", "java/io/PrintStream.println", "java/io/PrintStream.printf",
	"java/io/PrintStream.format",
	"java/io/PrintStream.flush",
)

// textCalls make text of what they are given, and change their receiver at most.
var textCalls = setOf(
	"java/lang/StringBuilder.append", "java/lang/StringBuilder.insert", "java/lang/StringBuffer.append",
	"java/lang/StringBuffer.insert", "java/lang/Appendable.append", "java/io/Writer.append",
	"java/io/StringWriter.append", "java/io/PrintWriter.append", "java/io/PrintWriter.print",
	"java/io/PrintWriter.println", "java/util/StringJoiner.add", "java/lang/String.valueOf",
	"java/lang/String.format", "java/lang/String.join", "java/util/Objects.toString",
)

// loggers are the packages, and System's interface, of logging libraries.
var loggers = []string{
	"org/slf4j/", "java/util/logging/", "org/apache/log4j/", "org/apache/logging/log4j/", "org/apache/commons/logging/",
	"ch/qos/logback/", "org/jboss/logging/", "org/tinylog/", "com/google/common/flogger/",
	"io/netty/util/internal/logging/",
	"org/eclipse/jetty/util/log/", "org/apache/juli/logging/", "org/apache/ibatis/logging/", "org/pmw/tinylog/",
	"java/lang/System$Logger", "android/util/Log",
}

func setOf(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

func hasPrefixOf(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// isLogger tells whether a class is one of a logging library.
func isLogger(class string) bool { return hasPrefixOf(class, loggers) }

// unchanging tells whether objects of a class, or array descriptor, never change.
func (p *Program) unchanging(class string) bool {
	if class == "" || class[0] == '[' {
		return false
	}
	if immutable[class] || hasPrefixOf(class, immutablePackages) || p.throwable(class) {
		return true
	}
	return p.is(class, "java/lang/Enum") && p.stateless(class) || isLogger(class)
}

// stateless tells whether a class of enum constants has no instance field that could change.
func (p *Program) stateless(class string) bool {
	c := p.class(class)
	if c == nil {
		return true // the JDK's and libraries' enums hold no state
	}
	for _, f := range c.Fields {
		if f.Access&(classfile.AccStatic|classfile.AccFinal) == 0 {
			return false
		}
	}
	return true
}

// callClass says what the tables know of a call.
type callClass uint8

const (
	unknownCall callClass = iota
	// valueCall depends on its operands alone: the receiver must be as plain as the arguments.
	valueCall
	// harmlessCall depends on its arguments alone.
	harmlessCall
)

// classify looks a method up in the tables.
func (p *Program) classify(owner, name string) callClass {
	at := owner + "." + name
	switch {
	case outside[at]:
		return unknownCall
	case harmless[at] || isLogger(owner):
		return harmlessCall
	case p.own[owner]:
		return unknownCall
	case p.throwable(owner), immutable[owner], valueCalls[owner], hasPrefixOf(owner, immutablePackages):
		return valueCall
	}
	return unknownCall
}

// shortClass is the name of a class without packages and enclosing classes; of an
// anonymous one, which has no name, with the enclosing class.
func shortClass(internal string) string {
	name := internal[strings.LastIndexByte(internal, '/')+1:]
	inner := name[strings.LastIndexByte(name, '$')+1:]
	if inner == "" || inner[0] >= '0' && inner[0] <= '9' {
		return name
	}
	return inner
}
