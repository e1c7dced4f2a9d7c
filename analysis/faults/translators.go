package faults

import "strings"

// This file says which roots lie below throw sites of the JDK's Java code: since
// JDK 7 java.nio.file, and since JDK 13 sockets, catch what a root throws and
// throw something else.

// translator is a method of the JDK that throws for a failed root.
type translator struct {
	class, method string   // method "": any
	roots         []string // class.name, or a class and "." for all of its
}

// translators have one line for each place; what stands there was read in the
// sources of JDK 17 and 25.
var translators = []translator{
	{"sun/nio/ch/NioSocketImpl", "implRead", []string{"sun/nio/ch/SocketDispatcher.read0"}},
	{"sun/nio/ch/NioSocketImpl", "timedRead", []string{"sun/nio/ch/NioSocketImpl.timedRead"}},
	{"sun/nio/ch/NioSocketImpl", "implWrite",
		[]string{"sun/nio/ch/FileDispatcherImpl.write0", "sun/nio/ch/SocketDispatcher.write0"}},
	{"sun/nio/ch/NioSocketImpl", "connect", []string{"sun/nio/ch/Net.connect0", "sun/nio/ch/Net.pollConnect"}},
	{"sun/nio/fs/UnixException", "", []string{"sun/nio/fs/UnixNativeDispatcher."}},
	{"sun/nio/fs/UnixFileSystemProvider", "", []string{"sun/nio/fs/UnixNativeDispatcher."}},
	{"sun/nio/fs/UnixCopyFile", "", []string{"sun/nio/fs/UnixNativeDispatcher.", "sun/nio/fs/UnixCopyFile.transfer"}},
	{"java/net/InetAddress", "", []string{"java/net/Inet4AddressImpl.lookupAllHostAddr",
		"java/net/Inet6AddressImpl.lookupAllHostAddr"}},
	{"java/net/InetAddress$CachedLookup", "",
		[]string{"java/net/Inet4AddressImpl.lookupAllHostAddr", "java/net/Inet6AddressImpl.lookupAllHostAddr"}},
	{"java/net/SocketInputStream", "read", []string{"java/net/SocketInputStream.socketRead0"}},
	{"java/net/SocketOutputStream", "socketWrite", []string{"java/net/SocketOutputStream.socketWrite0"}},
	{"java/lang/ProcessBuilder", "start", []string{"java/lang/ProcessImpl.forkAndExec"}},
}

// Below lists the roots below the throws of a method (internal name of the class)
// of the JDK's; none where its throws translate no root's failure.
func Below(class, method string) (out []*Root) {
	for _, t := range translators {
		if t.class != class || t.method != "" && t.method != method {
			continue
		}
		for i := range Table {
			for _, name := range t.roots {
				if r := &Table[i]; r.String() == name || strings.HasSuffix(name, ".") && r.Class+"." == name {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// Translated is the class (binary name) of what a class of the JDK's (internal name) throws for a
// root's failure of a kind, where its code decides that; "" where it may be any.
func Translated(class string, k Kind, rep Report) string {
	switch {
	case strings.HasPrefix(class, "sun/nio/fs/"): // UnixException.translateToIOException
		switch k {
		case Permission:
			return "java.nio.file.AccessDeniedException"
		case Missing:
			return "java.nio.file.NoSuchFileException"
		}
		return "java.nio.file.FileSystemException"
	case strings.HasPrefix(class, "java/net/InetAddress"):
		return "java.net.UnknownHostException"
	case class == "sun/nio/ch/NioSocketImpl", class == "java/net/SocketInputStream",
		class == "java/net/SocketOutputStream":
		if strings.HasPrefix(rep.Class, "java.net.") {
			return rep.Class
		}
		return "java.net.SocketException"
	case class == "java/lang/ProcessBuilder":
		return "java.io.IOException"
	}
	return ""
}
