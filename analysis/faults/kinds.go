package faults

// Kind is a kind of environment fault. The text is what settings, reports and
// records say.
type Kind string

// The kinds of the fault universe.
const (
	DiskRead        Kind = "disk-read"
	DiskWrite       Kind = "disk-write"
	DiskFull        Kind = "disk-full"
	Quota           Kind = "quota"
	Missing         Kind = "missing"    // what is opened or used is not there
	OpenFiles       Kind = "open-files" // opening fails for want of descriptors
	Permission      Kind = "permission"
	Rename          Kind = "rename"
	Sync            Kind = "sync"
	ConnectRefused  Kind = "connect-refused"
	ConnectTimedOut Kind = "connect-timed-out"
	Unreachable     Kind = "unreachable"
	NetDown         Kind = "net-down"
	NameResolution  Kind = "name-resolution"
	Reset           Kind = "reset"
	ReadTimedOut    Kind = "read-timed-out"
	BrokenPipe      Kind = "broken-pipe"
	Interrupted     Kind = "interrupted"
)

// Errno is an error number of Linux (asm-generic/errno-base.h, errno.h) with
// glibc's text for it.
type Errno struct {
	Number int
	Name   string // ENOSPC
	Text   string // of strerror in the C locale
}

// KindInfo says what a kind of fault is.
type KindInfo struct {
	Kind  Kind
	Says  string // one line for people
	Errno Errno  // what the system call fails with; zero for those that are no failing call
	Net   bool   // strikes a peer rather than a path
}

// Kinds lists the fault universe in the order in which reports name it.
var Kinds = []KindInfo{
	{DiskRead, "a read from a file fails (EIO)", Errno{5, "EIO", "Input/output error"}, false},
	{DiskWrite, "a write to a file fails (EIO)", Errno{5, "EIO", "Input/output error"}, false},
	{DiskFull, "there is no space left on the device (ENOSPC)", Errno{28, "ENOSPC", "No space left on device"}, false},
	{Quota, "the user's disk quota is used up (EDQUOT)", Errno{122, "EDQUOT", "Disk quota exceeded"}, false},
	{Missing, "the file or folder is not there (ENOENT)", Errno{2, "ENOENT", "No such file or directory"}, false},
	{OpenFiles, "the process may open no more files (EMFILE)", Errno{24, "EMFILE", "Too many open files"}, false},
	{Permission, "the access is denied (EACCES)", Errno{13, "EACCES", "Permission denied"}, false},
	{Rename, "renaming fails (EBUSY)", Errno{16, "EBUSY", "Device or resource busy"}, false},
	{Sync, "what was written cannot be brought to the device (EIO)", Errno{5, "EIO", "Input/output error"}, false},
	{ConnectRefused, "nobody listens at the peer (ECONNREFUSED)", Errno{111, "ECONNREFUSED", "Connection refused"},
		true},
	{ConnectTimedOut, "the peer does not answer to connect (ETIMEDOUT)",
		Errno{110, "ETIMEDOUT", "Connection timed out"}, true},
	{Unreachable, "there is no way to the peer (EHOSTUNREACH)", Errno{113, "EHOSTUNREACH", "No route to host"}, true},
	{NetDown, "the network interface is down (ENETDOWN)", Errno{100, "ENETDOWN", "Network is down"}, true},
	{NameResolution, "the peer's name cannot be resolved (EAI_NONAME)", Errno{}, true},
	{Reset, "the peer resets the connection (ECONNRESET)", Errno{104, "ECONNRESET", "Connection reset by peer"}, true},
	{ReadTimedOut, "nothing comes from the peer before the timeout", Errno{}, true},
	{BrokenPipe, "the peer no longer reads (EPIPE)", Errno{32, "EPIPE", "Broken pipe"}, true},
	{Interrupted, "the thread is interrupted", Errno{}, false},
}

// Info returns what is known of a kind; ok is false for one that the universe
// does not have.
func Info(k Kind) (info KindInfo, ok bool) {
	for _, i := range Kinds {
		if i.Kind == k {
			return i, true
		}
	}
	return KindInfo{}, false
}
