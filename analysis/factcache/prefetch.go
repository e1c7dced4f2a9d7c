package factcache

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/sealed"
)

// This file reads, while an analysis begins, what the last one like it has asked for: most
// classes of a program are asked for one after the other by one thread.

// askedSuffix is of files with the names of classes, a line each, in the order of asking.
const askedSuffix = ".asked"

// askedFile is where the names of classes stand that an analysis of some kind asks for on this
// class path; "" where nothing is kept.
func (p *Provider) askedFile(kind string) string {
	if p.cache.dir == "" {
		return ""
	}
	parts := []string{kind}
	for i := range p.entries {
		e := &p.entries[i]
		if e.container != nil {
			parts = append(parts, string(e.container.key[:]))
		} else {
			parts = append(parts, e.Path())
		}
	}
	key := facts.StoreKey(parts...)
	return filepath.Join(p.cache.dir, hex.EncodeToString(key[:12])+askedSuffix)
}

// ReadAhead reads in the background, if there is a processor to spare, the classes of jars and
// of the JDK that NoteAsked kept under this kind of analysis and class path. Answers do not
// depend on it. Close ends it.
func (p *Provider) ReadAhead(kind string) {
	path := p.askedFile(kind)
	if path == "" || runtime.GOMAXPROCS(0) < 2 {
		return
	}
	a := &p.ahead
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.running.Go(func() {
		text, err := sealed.Read(path, filepath.Base(path))
		if err != nil {
			return // the first analysis of this kind
		}
		for name := range strings.Lines(string(text)) {
			a.mu.Lock()
			closed := a.closed
			a.mu.Unlock()
			if closed {
				return
			}
			p.preload(strings.TrimSuffix(name, "\n"))
		}
	})
}

// NoteAsked keeps the names of the classes of jars and of the JDK that were asked for, for
// ReadAhead of the next process. Like a store, the file is replaced as a whole; it is removed when
// maxAsked others have been used since.
func (p *Provider) NoteAsked(kind string) error {
	path := p.askedFile(kind)
	if path == "" {
		return nil
	}
	p.mu.Lock()
	names := slices.Clone(p.asked)
	p.mu.Unlock()
	text := []byte(strings.Join(append(names, ""), "\n"))
	if old, err := sealed.Read(path, filepath.Base(path)); err == nil && bytes.Equal(old, text) {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > touchStores {
			os.Chtimes(path, time.Time{}, time.Now()) // a matter of tidiness only
		}
		return nil
	}
	if err := os.MkdirAll(p.cache.dir, 0o700); err != nil {
		return err
	}
	return sealed.Write(path, filepath.Base(path), text)
}
