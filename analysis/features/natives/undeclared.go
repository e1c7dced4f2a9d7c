package natives

import "slices"

// This file has the natives that throw unchecked exceptions which their declarations do not name.
// TestThrowsOfNatives makes each of them throw in real JVMs.

const (
	illegalArgument = "java/lang/IllegalArgumentException"
	illegalMonitor  = "java/lang/IllegalMonitorStateException"
	interrupted     = "java/lang/InterruptedException"
	nullPointer     = "java/lang/NullPointerException"
	outOfBounds     = "java/lang/ArrayIndexOutOfBoundsException"
	negativeSize    = "java/lang/NegativeArraySizeException"
	arrayClass      = "java/lang/reflect/Array"
	loaderClass     = "java/lang/ClassLoader"
	unsafeClass     = "jdk/internal/misc/Unsafe"
	poolClass       = "jdk/internal/reflect/ConstantPool"
	flagClass       = "com/sun/management/internal/Flag"
)

var undeclaredRows = slices.Concat(
	[]Row{
		{Class: "java/lang/Object", Name: "wait", Desc: "(J)V",
			Throws: []string{interrupted, illegalMonitor, illegalArgument},
			Why:    "up to JDK 18: JVM_MonitorWait, ObjectSynchronizer::wait (a negative timeout; not the owner)"},
		{Class: "java/lang/Object", Name: "wait0", Throws: []string{interrupted, illegalMonitor},
			Why: "JDK 19 and later: Object.wait asks for the timeout"},
		{Class: "java/lang/Object", Name: "notify", Throws: []string{illegalMonitor}, Why: notOwner},
		{Class: "java/lang/Object", Name: "notifyAll", Throws: []string{illegalMonitor}, Why: notOwner},
		{Class: "java/lang/Thread", Name: "sleep", Desc: "(J)V", Throws: []string{interrupted, illegalArgument},
			Why: "up to JDK 18: JVM_Sleep (a negative time)"},
		{Class: "java/lang/Thread", Name: "holdsLock", Throws: []string{nullPointer}, Why: "JVM_HoldsLock"},
		{Class: "java/lang/System", Name: "mapLibraryName", Throws: []string{nullPointer, illegalArgument},
			Why: "System.c: no name, one that is too long"},
		{Class: "java/lang/Class", Name: "isAssignableFrom", Throws: []string{nullPointer}, Why: "Class.c"},
		{Class: "java/util/zip/Deflater", Name: "init", Throws: []string{illegalArgument},
			Why: "a level that there is none of, which no constructor looks at: Z_STREAM_ERROR (Deflater.c)"},
		{Class: "java/lang/ProcessHandleImpl", Name: "getProcessPids0", Throws: []string{"java/lang/RuntimeException"},
			Why: "/proc cannot be opened (ProcessHandleImpl_unix.c)"},
		{Class: "sun/nio/fs/UnixNativeDispatcher", Name: "close0", Throws: []string{"sun/nio/fs/UnixException"},
			Why: "throwUnixException (UnixNativeDispatcher.c); JDK 17 does not declare it"},
		{Class: "jdk/internal/perf/Perf", Name: "createLong", Throws: []string{illegalArgument, nullPointer},
			Why: perfCreates},
		{Class: "jdk/internal/perf/Perf", Name: "createByteArray", Throws: []string{illegalArgument, nullPointer},
			Why: perfCreates},
		{Class: unsafeClass, Name: "objectFieldOffset1", Throws: []string{"java/lang/InternalError"},
			Why: "find_field_offset (unsafe.cpp): no such field"},
		{Class: unsafeClass, Name: "allocateInstance",
			Throws: []string{"java/lang/InstantiationException", "java/lang/IllegalAccessException", linkageErrors},
			Why:    "InstanceKlass::allocate_instance: the class is initialised; of Class there is none to be made"},
	},
	rowsOf([]string{illegalArgument, nullPointer}, "Modules::add_module_exports (modules.cpp): no such package",
		[][2]string{{"java/lang/Module", "addExports0"}, {"java/lang/Module", "addExportsToAll0"},
			{"java/lang/Module", "addExportsToAllUnnamed0"}}),
	loading(rowsOf([]string{linkageErrors, nullPointer, "java/lang/SecurityException"},
		"jvm_define_class_common, SystemDictionary::resolve_from_stream: the superclass is loaded",
		[][2]string{{loaderClass, "defineClass0"}, {loaderClass, "defineClass1"}, {loaderClass, "defineClass2"},
			{unsafeClass, "defineClass0"}})),
	loading(rowsOf([]string{linkageErrors}, "the classes around and inside a class are loaded, and checked to name "+
		"each other (JVM_GetDeclaringClass, JVM_GetDeclaredClasses)",
		[][2]string{{"java/lang/Class", "getDeclaredClasses0"}, {"java/lang/Class", "getDeclaringClass0"}})),
	loading(rowsOf([]string{linkageErrors}, "JVM_GetEnclosingMethodInfo: the class around is loaded",
		[][2]string{{"java/lang/Class", "getEnclosingMethod0"}})),
	rowsOf([]string{illegalArgument}, "find_field_offset (unsafe.cpp): a static field, or one that is not",
		[][2]string{{unsafeClass, "objectFieldOffset0"}, {unsafeClass, "staticFieldOffset0"},
			{unsafeClass, "staticFieldBase0"}}),
	rowsOf([]string{"java/lang/NoClassDefFoundError"}, "getBaseAndScale (unsafe.cpp): no class of arrays; it names a "+
		"class of exceptions that is none", [][2]string{
		{unsafeClass, "arrayBaseOffset0"}, {unsafeClass, "arrayIndexScale0"}}),
	rowsOf([]string{illegalArgument, nullPointer}, "jmm_SetVMGlobal (management.cpp): no such flag, one that cannot "+
		"be set, a value out of its range", [][2]string{{flagClass, "setLongValue"}, {flagClass, "setDoubleValue"},
		{flagClass, "setBooleanValue"}, {flagClass, "setStringValue"}}),
	rowsOf([]string{negativeSize, illegalArgument, nullPointer},
		"Reflection::reflect_new_array and reflect_new_multi_array: void, null, no or too many dimensions",
		[][2]string{{arrayClass, "newArray"}, {arrayClass, "multiNewArray"}}),
	rowsOf([]string{illegalArgument, nullPointer}, "JVM_GetArrayLength, get_array (jvm.cpp)",
		[][2]string{{arrayClass, "getLength"}}),
	rowsOf([]string{illegalArgument, outOfBounds, nullPointer}, "JVM_GetArrayElement and the like: no array",
		[][2]string{
			{arrayClass, "get"}, {arrayClass, "getBoolean"}, {arrayClass, "getByte"}, {arrayClass, "getChar"},
			{arrayClass, "getShort"}, {arrayClass, "getInt"}, {arrayClass, "getLong"}, {arrayClass, "getFloat"},
			{arrayClass, "getDouble"},
			{arrayClass, "set"}, {arrayClass, "setBoolean"}, {arrayClass, "setByte"}, {arrayClass, "setChar"},
			{arrayClass, "setShort"}, {arrayClass, "setInt"}, {arrayClass, "setLong"}, {arrayClass, "setFloat"},
			{arrayClass, "setDouble"},
		}),
	rowsOf([]string{illegalArgument}, "bounds_check (jvm.cpp), an entry of another kind", [][2]string{
		{poolClass, "getClassRefIndexAt0"}, {poolClass, "getMemberRefInfoAt0"},
		{poolClass, "getNameAndTypeRefIndexAt0"}, {poolClass, "getNameAndTypeRefInfoAt0"},
		{poolClass, "getIntAt0"}, {poolClass, "getLongAt0"}, {poolClass, "getFloatAt0"},
		{poolClass, "getDoubleAt0"}, {poolClass, "getUTF8At0"}, {poolClass, "getTagAt0"},
		{poolClass, "getClassAtIfLoaded0"}, {poolClass, "getMethodAtIfLoaded0"},
		{poolClass, "getFieldAtIfLoaded0"}, {poolClass, "getStringAt0"},
	}),
	rowsOf([]string{illegalArgument, linkageErrors}, "bounds_check (jvm.cpp); the class of the entry is loaded",
		[][2]string{{poolClass, "getClassAt0"}, {poolClass, "getMethodAt0"}, {poolClass, "getFieldAt0"}}),
)

const (
	notOwner    = "ObjectMonitor::check_owner"
	perfCreates = "perf.cpp: a name that is taken, a unit or variability that is none"
)
