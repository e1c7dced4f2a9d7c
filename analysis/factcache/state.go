package factcache

import (
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/edsrzf/mmap-go"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// This file keeps, beside the records of a JDK, what analyses found out about the JDK
// and libraries alone.

const (
	stateSuffix = ".state"
	// maxStates and maxStateBytes bound the files with such states, of 40 to 250 megabytes each:
	// for each JDK, its settings, kind of analysis and each build of this program there is one, and
	// one for the libraries of a workspace.
	maxStates     = 12
	maxStateBytes = 1 << 30
)

// stateFile is where the state of some kind of the first entry is kept; "" where that is
// no JDK or nothing is kept.
func (p *Provider) stateFile(kind string) (path string, key [facts.KeySize]byte) {
	if p.cache.dir == "" || len(p.entries) == 0 || p.entries[0].container == nil ||
		p.entries[0].Kind() == classpath.KindJar {
		return "", key
	}
	key = p.entries[0].container.key
	if key == ([facts.KeySize]byte{}) {
		return "", key // it could not be read as a whole
	}
	key = facts.StoreKey(string(key[:]), kind)
	return filepath.Join(p.cache.dir, hex.EncodeToString(key[:12])+stateSuffix), key
}

// State returns what KeepState kept of the JDK under this kind, nil if there is nothing. It is of
// that JDK and kind, but nobody has looked whether it is damaged. It is valid until done is called.
func (p *Provider) State(kind string) (data []byte, done func()) {
	none := func() {}
	path, key := p.stateFile(kind)
	if path == "" {
		return nil, none
	}
	f, info, err := bounded.Open(path, bounded.Cache)
	if err != nil {
		return nil, none
	}
	defer f.Close()
	if info.Size() <= facts.KeySize {
		return nil, none
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, none
	}
	if [facts.KeySize]byte(m) != key { // it is of another JDK, or of another kind
		m.Unmap()
		return nil, none
	}
	if time.Since(info.ModTime()) > touchStores {
		os.Chtimes(path, time.Time{}, time.Now()) // a matter of tidiness only
	}
	return m[facts.KeySize:], func() { m.Unmap() }
}

// KeepState lets a state of the JDK be written for State of the next process, unless there is one
// that was written less than so long ago. The file is replaced as a whole; it is removed when
// maxStates others have been made since, or as many as have maxStateBytes.
func (p *Provider) KeepState(kind string, least time.Duration, write func(io.Writer) error) error {
	path, key := p.stateFile(kind)
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil {
		if age := time.Since(info.ModTime()); age >= 0 && age < least { // the clock may have been put back
			return nil
		}
	}
	if err := os.MkdirAll(p.cache.dir, 0o700); err != nil {
		return err
	}
	return sealed.Replace(path, func(w io.Writer) error {
		if _, err := w.Write(key[:]); err != nil {
			return err
		}
		return write(w)
	})
}

// Contained tells whether a class is one of a jar or the JDK.
func (p *Provider) Contained(class string) bool {
	_, at, _ := p.Load(class)
	return at != NoEntry && p.entries[at].container != nil
}

// Containers names the contents of the JDK and the jars, in their order, with the options that
// their records were made with; "" if they are not known.
func (p *Provider) Containers() string {
	var parts []string
	for i := range p.entries {
		if k := p.entries[i].container; k != nil {
			if k.key == ([facts.KeySize]byte{}) {
				return ""
			}
			parts = append(parts, string(k.key[:]))
		}
	}
	key := facts.StoreKey(parts...)
	return hex.EncodeToString(key[:])
}
