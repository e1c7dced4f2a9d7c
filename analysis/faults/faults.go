package faults

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// How is the way in which the native code of a root reports an errno.
type How string

// The ways. Texts are those of strerror.
const (
	IOE      How = "ioe"     // IOException, text (JNU_ThrowIOExceptionWithLastError)
	IOEPath  How = "ioep"    // IOException, text, of a method that is given a path
	FNF      How = "fnf"     // FileNotFoundException, "path (text)"
	Unix     How = "unix"    // UnixException with errno and text
	SyncFail How = "sync"    // SyncFailedException, "sync failed"
	Sock     How = "sock"    // by errno, as handleSocketError in Net.c says
	SockOpt  How = "sockopt" // as Sock, for options
	Dgram    How = "dgram"   // as Sock, but ECONNREFUSED is a PortUnreachableException
	ResetEx  How = "reset"   // ECONNRESET is a ConnectionResetException, others IOException
	GAI      How = "gai"     // UnknownHostException, "host: text"
	UHE      How = "uhe"     // UnknownHostException without a message
	// SocketTimeoutException, "Read timed out": a Java method that waits for a peer, and calls no
	// failing one
	Timeout How = "timeout"
	Fork    How = "fork" // IOException, "error=number, text"; from 25 on "Exec failed, error: number (text) "
)

// OnPipe stands for a Root.Caller: the operation where it is carried out on a pipe, such as the
// input of a process. What a pipe is is known when the operation runs, so that no call is found to
// be such a root (Find), and no link comes from it alone (Named).
const OnPipe = "pipe"

// Root is a native operation of the JDK and what strikes it.
type Root struct {
	ID          int // its number in Table: what probes are numbered with
	First, Last int // feature versions of the JDK that have it
	Class       string
	Name, Desc  string // of the method; Class and Caller are internal names
	Caller      string // only where a method of this class calls it, or OnPipe; "": anywhere
	How         How
	Kinds       []Kind
	Source      string // where its code stands in the JDK's sources
}

// String is class and name, as in java/io/FileInputStream.readBytes.
func (r *Root) String() string { return r.Class + "." + r.Name }

// Row names the row of the table: two of them may be one operation, told apart by
// who calls it.
func (r *Root) Row() string {
	if r.Caller == "" {
		return r.String()
	}
	return r.String() + "@" + r.Caller
}

// Java tells whether the root is a method in Java: its throw site is its own throw.
func (r *Root) Java() bool { return r.How == Timeout }

// Has tells whether faults of a kind strike the root.
func (r *Root) Has(k Kind) bool { return slices.Contains(r.Kinds, k) }

// Report is the exception that a root's native code throws.
type Report struct {
	Class   string // binary name
	Message string // "{}" stands for the path or host that the operation is given; "" none
	Errno   int    // of a UnixException
}

// Report says what the root throws in a version of the JDK when a fault of kind k
// strikes it; ok is false where that is no exception of its own.
func (r *Root) Report(k Kind, feature int) (rep Report, ok bool) {
	info, known := Info(k)
	if !known || !r.Has(k) {
		return rep, false
	}
	text, n := info.Errno.Text, info.Errno
	switch r.How {
	case GAI:
		return Report{Class: "java.net.UnknownHostException", Message: "{}: Name or service not known"}, true
	case UHE:
		return Report{Class: "java.net.UnknownHostException"}, true
	case Timeout:
		return Report{Class: "java.net.SocketTimeoutException", Message: "Read timed out"}, true
	}
	if n.Number == 0 {
		return rep, false
	}
	switch r.How {
	case FNF:
		return Report{Class: "java.io.FileNotFoundException", Message: "{} (" + text + ")"}, true
	case Unix:
		return Report{Class: "sun.nio.fs.UnixException", Message: text, Errno: n.Number}, true
	case SyncFail:
		return Report{Class: "java.io.SyncFailedException", Message: "sync failed"}, true
	case Sock, SockOpt:
		return Report{Class: socketError(n.Name), Message: text}, true
	case Dgram:
		if k == ConnectRefused {
			return Report{Class: "java.net.PortUnreachableException"}, true
		}
		return Report{Class: socketError(n.Name), Message: text}, true
	case ResetEx:
		if k == Reset {
			return Report{Class: "sun.net.ConnectionResetException", Message: "Connection reset"}, true
		}
	case Fork:
		if feature >= 25 {
			text = fmt.Sprintf("Exec failed, error: %d (%s) ", n.Number, text)
		} else {
			text = fmt.Sprintf("error=%d, %s", n.Number, text)
		}
	}
	return Report{Class: "java.io.IOException", Message: text}, true
}

// socketError is the class that handleSocketError (Net.c) chooses.
func socketError(errno string) string {
	switch errno {
	case "ECONNREFUSED", "ETIMEDOUT", "ENOTCONN":
		return "java.net.ConnectException"
	case "EHOSTUNREACH":
		return "java.net.NoRouteToHostException"
	case "EADDRINUSE", "EADDRNOTAVAIL", "EACCES":
		return "java.net.BindException"
	case "EPROTO":
		return "java.net.ProtocolException"
	}
	return "java.net.SocketException"
}

//go:embed table.txt
var text string

// Table holds the roots by number.
var Table = func() []Root {
	t, err := parse(text)
	if err != nil {
		panic(err) // a test reads the table first
	}
	return t
}()

// Text is the table as it is written, and how its operations are called: what depends on
// the table depends on it.
func Text() string { return text + fmt.Sprint(interfaces) }

type operation struct{ class, name, desc string }

// byOperation finds the roots of an operation by class, name and descriptor.
var byOperation = func() map[operation][]*Root {
	m := make(map[operation][]*Root, len(Table))
	for i := range Table {
		r := &Table[i]
		k := operation{r.Class, r.Name, r.Desc}
		m[k] = append(m[k], r)
	}
	return m
}()

// interfaces are the types by which the JDK calls a root, with the class that it is
// looked up for: of two implementations of InetAddressImpl, the one that systems with IPv6
// have.
var interfaces = map[string]string{
	"java/net/InetAddressImpl": "java/net/Inet6AddressImpl",
	"java/io/FileSystem":       "java/io/UnixFileSystem",
}

// Find returns the root that a call in class caller of a method is; nil if it is
// none.
func Find(caller, class, name, desc string) *Root {
	var found *Root
	if c, ok := interfaces[class]; ok {
		class = c
	}
	for _, r := range byOperation[operation{class, name, desc}] {
		if r.Caller == caller {
			return r
		}
		if r.Caller == "" {
			found = r
		}
	}
	return found
}

// Roots lists the roots that a version of the JDK has.
func Roots(feature int) []*Root {
	var out []*Root
	for i := range Table {
		if r := &Table[i]; r.First <= feature && feature <= r.Last {
			out = append(out, r)
		}
	}
	return out
}

// parse reads the table.
func parse(text string) ([]Root, error) {
	var out []Root
	for i, line := range strings.Split(text, "\n") {
		row, source, _ := strings.Cut(line, " # ")
		row = strings.TrimSpace(row)
		if row == "" || row[0] == '#' {
			continue
		}
		r, err := parseRow(strings.Fields(row))
		if err != nil {
			return nil, fmt.Errorf("table.txt:%d: %w", i+1, err)
		}
		r.ID, r.Source = len(out), source
		out = append(out, r)
	}
	return out, nil
}

func parseRow(f []string) (r Root, err error) {
	if len(f) < 4 || len(f) > 5 {
		return r, fmt.Errorf("a row has versions, a method, how, kinds and perhaps a caller, not %d fields", len(f))
	}
	first, last, _ := strings.Cut(f[0], "-")
	if r.First, err = strconv.Atoi(first); err != nil {
		return r, err
	}
	if r.Last, err = strconv.Atoi(last); err != nil || r.Last < r.First {
		return r, fmt.Errorf("versions %s are no range", f[0])
	}
	method, desc, _ := strings.Cut(f[1], "(")
	dot := strings.LastIndexByte(method, '.')
	if dot < 0 || desc == "" {
		return r, fmt.Errorf("%s is no class.method(descriptor)", f[1])
	}
	r.Class, r.Name, r.Desc, r.How = method[:dot], method[dot+1:], "("+desc, How(f[2])
	for _, k := range strings.Split(f[3], ",") {
		if _, ok := Info(Kind(k)); !ok {
			return r, fmt.Errorf("%q is no kind of fault", k)
		}
		r.Kinds = append(r.Kinds, Kind(k))
	}
	if len(f) == 5 {
		caller, ok := strings.CutPrefix(f[4], "@")
		if !ok {
			return r, fmt.Errorf("%q is no @caller", f[4])
		}
		r.Caller = caller
	}
	return r, nil
}

// Anywhere is the root of the operation that r is on a pipe only; r itself, if it is not.
func (r *Root) Anywhere() *Root {
	if r.Caller != OnPipe {
		return r
	}
	return Find("", r.Class, r.Name, r.Desc)
}

// Pipe is the root of the operation r where it is carried out on a pipe; nil: the universe has
// none.
func (r *Root) Pipe() *Root {
	for _, p := range byOperation[operation{r.Class, r.Name, r.Desc}] {
		if p.Caller == OnPipe {
			return p
		}
	}
	return nil
}

// Named lists the roots of a class (internal name) with a method name, but for those on pipes.
func Named(class, name string) (out []*Root) {
	for i := range Table {
		if r := &Table[i]; r.Class == class && r.Name == name && r.Caller != OnPipe {
			out = append(out, r)
		}
	}
	return out
}
