// Package jimage reads the JDK's run-time image, lib/modules (JEP 220).
//
// Input is the file of JDK 9 or newer, in either byte order; output are its
// resources by module and name, the module that holds each package, and
// listings. The format has no specification outside the JDK; what is read here:
//
//	header      7 u4: magic 0xCAFEDADA, version, flags, resource count,
//	            table length n, size of locations, size of strings
//	redirect    n s4: perfect hash of the full name "/module/parent/base.ext"
//	offsets     n u4: into locations
//	locations   attribute streams (see Location)
//	strings     zero-terminated modified UTF-8
//	resources   content, possibly compressed (see decompress.go)
//
// Header to strings, 1.5 MB for a whole JDK, are read when an image is opened
// and checked as they are used; content is read on demand. The file is not
// mapped into memory: a JDK that is replaced or cut short while it is open
// then costs an error and not a SIGBUS, and content never aliases the file.
//
// A Reader may be used by several goroutines at once.
//
// Cost: opening 2 ms; looking up and reading all 27,000 classes of JDK 17
// 0.1 s.
package jimage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/defect"
)

const (
	magic        = 0xcafedada
	majorVersion = 1
	headerSize   = 28
	hashSeed     = 0x01000193
)

// FormatError says what is wrong with an image.
type FormatError struct {
	File string // "" when the image did not come from a file
	Msg  string
}

func (e *FormatError) Error() string {
	if e.File == "" {
		return "jimage: " + e.Msg
	}
	return fmt.Sprintf("jimage %s: %s", e.File, e.Msg)
}

// Reader is an open image.
type Reader struct {
	src       io.ReaderAt
	closer    io.Closer
	file      string
	size      int64 // of the whole file
	order     binary.ByteOrder
	resources int // as the header counts them
	redirect  []int32
	offsets   []uint32
	locations []byte
	strings   []byte
	base      int64 // offset of the resources in the file

	packagesOnce defect.Once
	packages     map[string]string // package with slashes -> module
	packagesErr  error
	modulesOnce  defect.Once
	modules      []string
	modulesErr   error
}

// Open opens an image file.
func Open(path string) (*Reader, error) {
	f, info, err := bounded.Open(path, bounded.Archive)
	if err != nil {
		return nil, err
	}
	r, err := newReader(f, info.Size(), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.closer = f
	return r, nil
}

// NewReader reads an image of size bytes from src.
func NewReader(src io.ReaderAt, size int64) (*Reader, error) { return newReader(src, size, "") }

func newReader(src io.ReaderAt, size int64, file string) (*Reader, error) {
	r := &Reader{src: src, size: size, file: file}
	var head [headerSize]byte
	if size < headerSize {
		return nil, r.errorf("%d bytes are no image", size)
	}
	if err := r.readAt(head[:], 0); err != nil {
		return nil, err
	}
	switch {
	case binary.LittleEndian.Uint32(head[:]) == magic:
		r.order = binary.LittleEndian
	case binary.BigEndian.Uint32(head[:]) == magic:
		r.order = binary.BigEndian
	default:
		return nil, r.errorf("no image: magic number is %#08x", binary.LittleEndian.Uint32(head[:]))
	}
	u4 := func(i int) int64 { return int64(r.order.Uint32(head[4*i:])) }
	if v := u4(1); v>>16 != majorVersion {
		return nil, r.errorf("version %d.%d, want %d", v>>16, v&0xffff, majorVersion)
	}
	r.resources = int(u4(3))
	n, locations, stringsSize := u4(4), u4(5), u4(6)
	r.base = headerSize + 8*n + locations + stringsSize
	if r.base > size {
		return nil, r.errorf("index of %d bytes in a file of %d", r.base, size)
	}
	index := make([]byte, r.base-headerSize)
	if err := r.readAt(index, headerSize); err != nil {
		return nil, err
	}
	r.redirect, r.offsets = make([]int32, n), make([]uint32, n)
	for i := range r.redirect {
		r.redirect[i] = int32(r.order.Uint32(index[4*i:]))
		r.offsets[i] = r.order.Uint32(index[4*(int(n)+i):])
	}
	index = index[8*n:]
	r.locations, r.strings = index[:locations], index[locations:]
	return r, nil
}

// Close closes the file. Nothing may be read afterwards.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

func (r *Reader) errorf(format string, args ...any) error {
	return &FormatError{r.file, fmt.Sprintf(format, args...)}
}

func (r *Reader) readAt(b []byte, off int64) error {
	if n, err := r.src.ReadAt(b, off); n < len(b) {
		return r.errorf("cannot read %d bytes at %d: %v", len(b), off, err)
	}
	return nil
}

// Location says where a resource is. Its full name is
// "/Module/Parent/Base.Ext"; the parts other than Base may be empty.
type Location struct {
	Module, Parent, Base, Ext string
	// Offset counts from the start of the resources. Compressed is the number
	// of bytes there, 0 when they are stored as they are; Size is the size of
	// the content.
	Offset, Compressed, Size uint64
}

// Name is the name within the module: "java/lang/Object.class".
func (l *Location) Name() string {
	var b strings.Builder
	b.Grow(len(l.Parent) + len(l.Base) + len(l.Ext) + 2)
	if l.Parent != "" {
		b.WriteString(l.Parent)
		b.WriteByte('/')
	}
	b.WriteString(l.Base)
	if l.Ext != "" {
		b.WriteByte('.')
		b.WriteString(l.Ext)
	}
	return b.String()
}

// Attribute kinds of a location.
const (
	attrEnd = iota
	attrModule
	attrParent
	attrBase
	attrExt
	attrOffset
	attrCompressed
	attrSize
	attrKnown // kinds from here on are skipped: newer JDKs add some
)

// attributes decodes the location at offset off. Each attribute is a byte
// kind<<3 | length-1 and a big-endian value.
func (r *Reader) attributes(off uint32) (a [attrKnown]uint64, err error) {
	p := int(off)
	for range maxAttributes {
		if p < 0 || p >= len(r.locations) {
			return a, r.errorf("location at %d runs past the end", off)
		}
		kind, n := int(r.locations[p]>>3), int(r.locations[p]&7)+1
		if kind == attrEnd {
			return a, nil
		}
		if p+1+n > len(r.locations) {
			return a, r.errorf("location at %d runs past the end", off)
		}
		var v uint64
		for _, b := range r.locations[p+1 : p+1+n] {
			v = v<<8 | uint64(b)
		}
		if kind < attrKnown {
			a[kind] = v
		}
		p += 1 + n
	}
	return a, r.errorf("location at %d has more than %d attributes", off, maxAttributes)
}

// maxAttributes bounds the length of a location: there are 31 kinds.
const maxAttributes = 64

// rawString returns the bytes of the string at off, without its zero.
func (r *Reader) rawString(off uint64) ([]byte, bool) {
	if off >= uint64(len(r.strings)) {
		return nil, false
	}
	b := r.strings[off:]
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i], true
	}
	return nil, false
}

// location decodes the location at index i of the table.
func (r *Reader) location(i int) (Location, error) {
	a, err := r.attributes(r.offsets[i])
	if err != nil {
		return Location{}, err
	}
	l := Location{Offset: a[attrOffset], Compressed: a[attrCompressed], Size: a[attrSize]}
	for k, part := range [...]*string{&l.Module, &l.Parent, &l.Base, &l.Ext} {
		b, ok := r.rawString(a[attrModule+k])
		if !ok {
			return l, r.errorf("location %d names no string", i)
		}
		*part = string(b)
	}
	return l, nil
}

// Find returns the location of a resource, such as "java.base" and
// "java/lang/Object.class". The error is not nil only for corrupt images.
func (r *Reader) Find(module, name string) (Location, bool, error) {
	n := uint32(len(r.redirect))
	if n == 0 {
		return Location{}, false, nil
	}
	i := int(hashName(hashSeed, module, name) % n)
	switch v := r.redirect[i]; {
	case v == 0:
		return Location{}, false, nil
	case v < 0:
		i = -1 - int(v)
		if i >= int(n) {
			return Location{}, false, r.errorf("redirect to %d in a table of %d", i, n)
		}
	default:
		i = int(hashName(uint32(v), module, name) % n)
	}
	a, err := r.attributes(r.offsets[i])
	if err != nil || !r.nameIs(&a, module, name) {
		return Location{}, false, err
	}
	l, err := r.location(i)
	return l, err == nil, err
}

// hashName hashes "/module/name".
func hashName(seed uint32, module, name string) uint32 {
	h := seed
	h = h*hashSeed ^ '/'
	for i := 0; i < len(module); i++ {
		h = h*hashSeed ^ uint32(module[i])
	}
	h = h*hashSeed ^ '/'
	for i := 0; i < len(name); i++ {
		h = h*hashSeed ^ uint32(name[i])
	}
	return h & 0x7fffffff
}

// nameIs compares without allocating.
func (r *Reader) nameIs(a *[attrKnown]uint64, module, name string) bool {
	take := func(kind int, before, after string) bool {
		b, ok := r.rawString(a[kind])
		if !ok {
			return false
		}
		if len(b) == 0 {
			return true
		}
		var found bool
		if name, found = strings.CutPrefix(name, before); !found || len(name) < len(b) || name[:len(b)] != string(b) {
			return false
		}
		name, found = strings.CutPrefix(name[len(b):], after)
		return found
	}
	m, ok := r.rawString(a[attrModule])
	return ok && string(m) == module && take(attrParent, "", "/") && take(attrBase, "", "") && take(attrExt, ".", "") &&
		name == ""
}

// Read returns the content of a resource.
func (r *Reader) Read(l Location) ([]byte, error) {
	n := l.Size
	if l.Compressed != 0 {
		n = l.Compressed
	}
	room := uint64(r.size - r.base)
	if l.Offset > room || n > room-l.Offset {
		return nil, r.errorf("resource /%s/%s lies outside the file", l.Module, l.Name())
	}
	b := make([]byte, n)
	if err := r.readAt(b, r.base+int64(l.Offset)); err != nil {
		return nil, err
	}
	if l.Compressed == 0 {
		return b, nil
	}
	out, err := r.decompress(b, l.Size)
	if err != nil {
		return nil, r.errorf("resource /%s/%s: %v", l.Module, l.Name(), err)
	}
	return out, nil
}

// ReadFile returns the content of a resource and whether there is one.
func (r *Reader) ReadFile(module, name string) ([]byte, bool, error) {
	l, ok, err := r.Find(module, name)
	if !ok || err != nil {
		return nil, false, err
	}
	b, err := r.Read(l)
	return b, err == nil, err
}

// Each calls f for every resource in the order of the table until f fails.
// The image's own entries below /modules and /packages are left out. A corrupt
// location is passed to f as an error of its own, and does not end the walk
// unless f returns it.
func (r *Reader) Each(f func(Location, error) error) error {
	for i := range r.offsets {
		l, err := r.location(i)
		if err == nil && (l.Module == "packages" || l.Module == "modules" || l.Module == "") {
			continue
		}
		if err := f(l, err); err != nil {
			return err
		}
	}
	return nil
}

// Len is the number of entries in the table, the image's own included.
func (r *Reader) Len() int { return len(r.offsets) }

// eachModule calls f for each entry of the table with the name of its module, which is all that is
// decoded of it, until f returns an error.
func (r *Reader) eachModule(f func(i int, module string, err error) error) error {
	names := map[uint64]string{} // by offset
	for i := range r.offsets {
		a, err := r.attributes(r.offsets[i])
		name, known := names[a[attrModule]]
		if err == nil && !known {
			b, ok := r.rawString(a[attrModule])
			if ok {
				name = string(b)
				names[a[attrModule]] = name
			} else {
				err = r.errorf("location %d names no string", i)
			}
		}
		if err := f(i, name, err); err != nil {
			return err
		}
	}
	return nil
}

// Modules returns the names of the modules, sorted.
func (r *Reader) Modules() ([]string, error) {
	r.modulesOnce.Do(func() {
		seen := map[string]bool{"packages": true, "modules": true, "": true}
		r.modulesErr = r.eachModule(func(_ int, module string, err error) error {
			if err == nil && !seen[module] {
				seen[module] = true
				r.modules = append(r.modules, module)
			}
			return err
		})
		sort.Strings(r.modules)
	})
	return slices.Clone(r.modules), r.modulesErr
}

// ModuleOf returns the module that holds a package ("java/lang").
func (r *Reader) ModuleOf(pkg string) (string, bool, error) {
	if err := r.loadPackages(); err != nil {
		return "", false, err
	}
	m, ok := r.packages[pkg]
	return m, ok, nil
}

// loadPackages reads the entries /packages/a.b.c: pairs of u4, a flag that the
// module has no resource in the package, and the offset of the module's name.
func (r *Reader) loadPackages() error {
	r.packagesOnce.Do(func() {
		r.packages = map[string]string{}
		r.packagesErr = r.eachModule(func(i int, module string, err error) error {
			if err != nil || module != "packages" {
				return nil
			}
			l, err := r.location(i)
			if err != nil {
				return nil
			}
			b, err := r.Read(l)
			if err != nil {
				return err
			}
			pkg := strings.ReplaceAll(l.Name(), ".", "/")
			for ; len(b) >= 8; b = b[8:] {
				if r.order.Uint32(b)&1 != 0 { // empty
					continue
				}
				if name, ok := r.rawString(uint64(r.order.Uint32(b[4:]))); ok {
					r.packages[pkg] = string(name)
				}
			}
			return nil
		})
	})
	return r.packagesErr
}

// PathIn returns where the image of a JDK stands.
func PathIn(home string) string { return filepath.Join(home, "lib", "modules") }
