package callgraph_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// goneMethods are rows for methods that neither JDK 17 nor JDK 25 has, but 8 or
// one of the releases between.
var goneMethods = map[string]bool{
	"sun/reflect/NativeMethodAccessorImpl.invoke0":           true,
	"sun/reflect/NativeConstructorAccessorImpl.newInstance0": true,
	"java/security/AccessController.doPrivileged":            true, "sun/misc/Unsafe.ensureClassInitialized": true,
	"sun/misc/Unsafe.throwException":            true,
	"java/lang/ClassLoader$NativeLibrary.load0": true, "java/lang/ClassLoader$NativeLibrary.load": true,
	"java/io/FileOutputStream.write": true, "java/io/UnixFileSystem.canonicalize0": true,
	"java/io/UnixFileSystem.createFileExclusively": true,
	"java/io/FileDescriptor.sync":                  true, "java/lang/System.initializeSystemClass": true,
	"sun/misc/Signal.dispatch": true,
	"sun/nio/ch/IOUtil.drain1": true, "sun/nio/ch/FileDispatcherImpl.preClose0": true,
	"sun/nio/ch/FileDispatcherImpl.closeIntFD":                   true,
	"sun/nio/ch/ServerSocketChannelImpl.accept0":                 true,
	"sun/nio/ch/UnixAsynchronousServerSocketChannelImpl.accept0": true,
	"java/io/RandomAccessFile.seek0":                             true, "java/io/RandomAccessFile.length": true,
	"java/io/RandomAccessFile.setLength": true,
	"java/io/RandomAccessFile.readBytes": true, "java/io/RandomAccessFile.writeBytes": true,
	"java/io/FileInputStream.available0": true,
	"java/nio/MappedByteBuffer.force0":   true, "java/nio/MappedByteBuffer.isLoaded0": true,
	"java/nio/MappedByteBuffer.load0": true,
}

// goneFields are those of Fields that JDK 8 or one of the releases between has.
var goneFields = map[string]bool{
	"java/lang/ref/Reference.pending":                                    true,
	"java/lang/ExceptionInInitializerError.exception":                    true,
	"java/lang/reflect/UndeclaredThrowableException.undeclaredThrowable": true,
	"java/security/PrivilegedActionException.exception":                  true,
}

// classesElsewhere are those that JDKs for other operating systems have.
var classesElsewhere = map[string]bool{
	"java/util/prefs/MacOSXPreferencesFactory":  runtime.GOOS != "darwin",
	"java/util/prefs/WindowsPreferencesFactory": runtime.GOOS != "windows",
}

// TestTableOfNatives checks each row of the table in analysis/features/natives against the JDKs
// here: the method exists in
// one of them, native unless the row says otherwise, and so does everything that
// the row names.
func TestTableOfNatives(t *testing.T) {
	var programs []*programtest.Program
	for _, home := range testjdk.All(t) {
		programs = append(programs, programtest.Open(t, home, facts.Options{}, 0))
	}
	has := func(class, name string, native bool) bool {
		for _, p := range programs {
			if c, ok := p.Class(class); ok {
				for i := range c.Methods {
					if m := &c.Methods[i]; (name == "" || m.Name == name) &&
						(!native || m.Access&hierarchy.AccNative != 0) {
						return true
					}
				}
			}
		}
		return false
	}
	hasClass := func(class string) bool {
		for _, p := range programs {
			if _, ok := p.Class(class); ok {
				return true
			}
		}
		return false
	}
	declares := func(class, name string) bool {
		for _, p := range programs {
			if c, ok := p.Class(class); ok &&
				slices.ContainsFunc(c.Fields, func(f facts.FlowField) bool { return f.Name == name }) {
				return true
			}
		}
		return false
	}
	const named = " (internal names, as java/lang/Thread)"
	for i := range natives.Rows {
		r := &natives.Rows[i]
		key := r.Class + "." + r.Name
		if r.Why == "" {
			t.Errorf("%s: no reason: Why says where in the JDK's sources that stands", key)
		}
		if first, ok := natives.Model(r.Class, r.Name, r.Desc, true); !ok || first != r {
			t.Errorf("%s: a row above it is taken in its place: one row a method, or give each the beginning of its "+
				"descriptor (Desc)", key)
		}
		if !has(r.Class, r.Name, !r.Java) && !goneMethods[key] {
			t.Errorf("%s: no JDK here has such a method%s that is native, or the row lacks Java: true; one that only "+
				"other JDKs have belongs into goneMethods of this test", key, named)
		}
		for _, e := range r.Throws {
			if !hasClass(strings.TrimSuffix(e, natives.AnySubtype)) {
				t.Errorf("%s: no JDK here has the class %s that it throws%s", key, e, named)
			}
		}
		for _, c := range r.Creates {
			if !hasClass(c) && !classesElsewhere[c] {
				t.Errorf("%s: no JDK here has the class %s that it creates%s; one of other systems belongs into "+
					"classesElsewhere of this test", key, c, named)
			}
		}
		if r.Sets != "" && !declares(r.Class, r.Sets) {
			t.Errorf("%s: no field %s", key, r.Sets)
		}
		for _, e := range r.Effects {
			if e.Class != "" && !has(e.Class, e.Name, false) {
				t.Errorf("%s: no method %s.%s", key, e.Class, e.Name)
			}
		}
		for _, m := range r.Relays {
			if !has(m.Class, m.Name, false) {
				t.Errorf("%s: no method %s.%s", key, m.Class, m.Name)
			}
		}
	}
	for i := range natives.Fields {
		f := &natives.Fields[i]
		if key := f.Class + "." + f.Name; !declares(f.Class, f.Name) && !goneFields[key] {
			t.Errorf("%s: neither JDK has such a field", key)
		}
		if w, ok := natives.Field(f.Class, f.Name); !ok || w != f {
			t.Errorf("%s.%s: twice", f.Class, f.Name)
		}
	}
	for _, e := range natives.Entries {
		if !has(e.Class, e.Name, false) && !goneMethods[e.Class+"."+e.Name] {
			t.Errorf("entry %s.%s: neither JDK has such a method", e.Class, e.Name)
		}
	}
}
