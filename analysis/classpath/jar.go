package classpath

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/internal/bounded"
)

// maxFileSize bounds the size of one file of a jar. Class files are far
// smaller; archives may claim anything.
const maxFileSize = 1 << 28

// Jar is an open jar: its table of contents in memory, its file closed.
type Jar struct {
	path         string
	src          *sharedFile
	digests      *DigestCache
	files        map[string]*zip.File // by name, as the feature version sees them
	classes      []string             // sorted
	services     []string             // provider-configuration files
	classPath    []string             // of the manifest
	manifest     map[string]string
	multiRelease bool
}

// OpenJar reads a jar's table of contents.
func OpenJar(path string, opts Options) (*Jar, error) {
	src := &sharedFile{path: path}
	if err := src.acquire(); err != nil {
		return nil, err
	}
	defer src.release()
	z, err := bounded.NewZip(path, src, src.info.Size())
	if err != nil {
		return nil, err
	}
	j := &Jar{path: path, src: src, digests: opts.digests(), files: make(map[string]*zip.File, len(z.File))}
	for _, e := range z.File {
		if !strings.HasSuffix(e.Name, "/") {
			j.files[e.Name] = e // the last of equal names wins, as in java.util.zip
		}
	}
	if err := j.readManifest(); err != nil {
		return nil, err
	}
	if j.multiRelease {
		j.applyVersions(opts.Feature)
	}
	for name := range j.files {
		if class, ok := className(name); ok {
			j.classes = append(j.classes, class)
		}
		if strings.HasPrefix(name, servicesFolder) {
			j.services = append(j.services, name)
		}
	}
	slices.Sort(j.classes)
	slices.Sort(j.services)
	return j, nil
}

const manifestName = "META-INF/MANIFEST.MF"

func (j *Jar) readManifest() error {
	e := j.files[manifestName]
	if e == nil { // the JVM finds it whatever its case
		for name, other := range j.files {
			if strings.EqualFold(name, manifestName) {
				e = other
			}
		}
	}
	if e == nil {
		return nil
	}
	b, err := j.read(e)
	if err != nil {
		return err
	}
	j.manifest = manifest(string(b))
	j.multiRelease = strings.EqualFold(j.manifest["multi-release"], "true")
	for _, element := range strings.Fields(j.manifest["class-path"]) {
		if p := manifestPath(j.path, element); p != "" {
			j.classPath = append(j.classPath, p)
		}
	}
	return nil
}

const versionsFolder = "META-INF/versions/"

// applyVersions puts, for each name, the file of the highest version up to
// feature in place of the file in the root.
func (j *Jar) applyVersions(feature int) {
	type choice struct {
		version int
		file    *zip.File
	}
	best := map[string]choice{}
	for full, e := range j.files {
		rest, ok := strings.CutPrefix(full, versionsFolder)
		if !ok {
			continue
		}
		number, name, ok := strings.Cut(rest, "/")
		v, err := strconv.Atoi(number)
		if !ok || err != nil || v < 9 || v > feature || name == "" || strings.HasPrefix(name, "META-INF/") {
			continue
		}
		if best[name].version < v {
			best[name] = choice{v, e}
		}
	}
	for name, c := range best {
		j.files[name] = c.file
	}
}

// Path implements Entry.
func (j *Jar) Path() string { return j.path }

// Kind implements Entry.
func (j *Jar) Kind() Kind { return KindJar }

// Close implements Entry.
func (j *Jar) Close() error { return nil }

// MultiRelease reports whether the manifest says that the jar holds versions.
func (j *Jar) MultiRelease() bool { return j.multiRelease }

// Manifest returns an attribute of the manifest's main section, "" when it is
// not there.
func (j *Jar) Manifest(name string) string { return j.manifest[strings.ToLower(name)] }

// Find implements Entry.
func (j *Jar) Find(name string) ([]byte, bool, error) { return j.Resource(name + ".class") }

// Resource implements Entry.
func (j *Jar) Resource(name string) ([]byte, bool, error) {
	e := j.files[name]
	if e == nil {
		return nil, false, nil
	}
	if err := j.src.acquire(); err != nil {
		return nil, false, err
	}
	defer j.src.release()
	b, err := j.read(e)
	return b, err == nil, err
}

// Hold keeps the file open until release is called, which saves opening it for
// each of many calls.
func (j *Jar) Hold() (release func(), err error) {
	if err := j.src.acquire(); err != nil {
		return nil, err
	}
	return sync.OnceFunc(j.src.release), nil
}

// Each implements Entry.
func (j *Jar) Each(f func(name string) error) error {
	for _, name := range j.classes {
		if err := f(name); err != nil {
			return err
		}
	}
	return nil
}

// Services implements Entry.
func (j *Jar) Services() (map[string][]string, error) { return readServices(j.services, j.Resource) }

// Digest implements Entry: the hash of the file.
func (j *Jar) Digest() (string, error) { return j.digests.File(j.path) }

// inflaters holds flate readers for reuse: each is 40 KB.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// read returns the content of e while src is acquired. It replaces
// (*zip.File).Open, which reads in pieces of 4 KB.
func (j *Jar) read(e *zip.File) ([]byte, error) {
	fail := func(err any) error {
		return &fs.PathError{Op: "read jar", Path: j.path, Err: fmt.Errorf("%q: %v", e.Name, err)}
	}
	packed, size := e.CompressedSize64, e.UncompressedSize64
	if size > maxFileSize || packed > uint64(j.src.info.Size()) {
		return nil, fail(fmt.Sprintf("claims %d bytes, %d packed", size, packed))
	}
	off, err := e.DataOffset()
	if err != nil {
		return nil, fail(err)
	}
	raw := make([]byte, packed)
	if _, err := j.src.ReadAt(raw, off); err != nil {
		return nil, fail(err)
	}
	out := raw
	switch e.Method {
	case zip.Store:
	case zip.Deflate:
		if out, err = inflate(raw, int(size)); err != nil {
			return nil, fail(err)
		}
	default:
		return nil, fail(zip.ErrAlgorithm)
	}
	if uint64(len(out)) != size {
		return nil, fail(fmt.Sprintf("%d bytes, want %d", len(out), size))
	}
	if crc32.ChecksumIEEE(out) != e.CRC32 {
		return nil, fail(zip.ErrChecksum)
	}
	return out, nil
}

// inflate gives at most size+1 bytes.
func inflate(raw []byte, size int) ([]byte, error) {
	z := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(z)
	if err := z.(flate.Resetter).Reset(bytes.NewReader(raw), nil); err != nil {
		return nil, err
	}
	if size > 1100*(len(raw)+16) { // more than deflate can do
		return nil, fmt.Errorf("%d packed bytes claim to hold %d", len(raw), size)
	}
	out := make([]byte, size)
	if n, err := io.ReadFull(z, out); err != nil {
		return out[:n], err
	}
	if n, err := z.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("more than the %d bytes promised", size)
	}
	return out, nil
}

// sharedFile is a file that is open while somebody holds it, and is the same
// file each time.
type sharedFile struct {
	path string

	mu   sync.Mutex
	refs int
	f    *os.File
	info os.FileInfo // of the first opening
}

func (s *sharedFile) acquire() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refs == 0 {
		f, info, err := bounded.Open(s.path, bounded.Archive)
		if err != nil {
			return err
		}
		if s.info != nil && (info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime())) {
			err = &fs.PathError{Op: "open jar", Path: s.path, Err: ErrChanged}
		}
		if err != nil {
			f.Close()
			return err
		}
		s.f = f
		if s.info == nil {
			s.info = info
		}
	}
	s.refs++
	return nil
}

func (s *sharedFile) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refs--; s.refs == 0 {
		s.f.Close()
		s.f = nil
	}
}

// ReadAt reads from the file, which the caller must have acquired.
func (s *sharedFile) ReadAt(b []byte, off int64) (int, error) {
	s.mu.Lock()
	f := s.f
	s.mu.Unlock()
	if f == nil {
		return 0, os.ErrClosed
	}
	return f.ReadAt(b, off)
}
