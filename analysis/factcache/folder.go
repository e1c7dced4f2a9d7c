package factcache

// This file gives the records of class files in folders, and keeps them for the next process.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/settings"
)

const (
	folderSuffix   = ".folder" // of stores of folders
	maxFolders     = 64        // such stores; each workspace has some
	maxFolderBytes = 256 << 20
	// staleShare is the share of a folder's classes that must have been computed for its store to
	// be written: one for each class that somebody edits would be written again and again.
	staleShare = 8
)

// folder is what is known of the class files of one folder. A record on disk is used for
// a class file with the same content only.
type folder struct {
	path string // of the store, "" where nothing is kept
	key  [facts.KeySize]byte

	flushing sync.Mutex // held by the one who writes the store

	mu     sync.Mutex
	opened bool
	store  *facts.Store            // nil: none
	seen   map[string][16]byte     // by class, the digest of its file when it was read last
	fresh  map[string]*facts.Class // computed by this process, not in the store
}

// folder returns what is known of an entry that is a folder.
func (c *Cache) folder(e classpath.Entry, o facts.Options) *folder {
	path, err := filepath.Abs(e.Path())
	if err != nil || c.dir == "" {
		return &folder{}
	}
	key := facts.StoreKey("folder", path, fmt.Sprint(o), settings.Key)
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.folders[key]
	if k == nil {
		k = &folder{path: filepath.Join(c.dir, hex.EncodeToString(key[:12])+folderSuffix), key: key,
			seen: map[string][16]byte{}, fresh: map[string]*facts.Class{}}
		c.folders[key] = k
	}
	return k
}

// current returns what is on disk, nil if there is nothing. What is no store of this folder is
// replaced when there is something to write. Callers hold k.mu.
func (k *folder) current() *facts.Store {
	if !k.opened {
		k.opened = true
		k.openStore()
	}
	return k.store
}

func (k *folder) openStore() {
	s, err := facts.OpenStore(k.path)
	if err != nil {
		return
	}
	if s.Key != k.key {
		s.Close()
		return
	}
	k.store = s
	if info, err := os.Stat(k.path); err == nil && time.Since(info.ModTime()) > touchStores {
		os.Chtimes(k.path, time.Time{}, time.Now()) // a matter of tidiness only
	}
}

// saw notes what the file of a class is now.
func (k *folder) saw(name string, digest [16]byte) {
	if k.path == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen[name] = digest
}

// find returns the stored record of a class whose file has a digest, nil if there is none.
func (k *folder) find(name string, digest [16]byte) *facts.Class {
	if k.path == "" {
		return nil
	}
	k.mu.Lock()
	s := k.current()
	k.mu.Unlock()
	if s == nil {
		return nil
	}
	if r, ok := s.Class(name); ok && r.Digest == digest {
		return r
	}
	return nil
}

// computed notes a record that the store did not have.
func (k *folder) computed(r *facts.Class) {
	if k.path == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fresh[r.Name] = r
}

// forget gives up the records in memory.
func (k *folder) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.fresh)
	k.opened = false
	if k.store != nil {
		k.store.Close()
		k.store = nil
	}
}

// flush writes the records of the classes that were read, if enough of them are not on disk.
func (k *folder) flush() error {
	k.flushing.Lock()
	defer k.flushing.Unlock()
	k.mu.Lock()
	if len(k.fresh) == 0 || len(k.fresh)*staleShare < len(k.seen) {
		k.mu.Unlock()
		return nil
	}
	fresh, seen, old := maps.Clone(k.fresh), maps.Clone(k.seen), k.current()
	k.mu.Unlock()
	b := facts.NewStoreBuilder()
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		r := fresh[name]
		if r == nil && old != nil {
			r, _ = old.Class(name)
		}
		if r != nil && r.Digest == seen[name] {
			b.Add(r)
		}
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	if err := b.WriteFile(k.path, k.key, false); err != nil {
		return err
	}
	s, err := facts.OpenStore(k.path)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.opened, k.store = true, s
	for name, r := range fresh {
		if k.fresh[name] == r {
			delete(k.fresh, name)
		}
	}
	if old != nil {
		old.Close()
	}
	return nil
}

// fromFolder makes the record of a class in a folder. Records are kept by the
// class file's digest, so that an unchanged class costs no more than reading
// it, and by its size and time, so that it need not be read either.
func (p *Provider) fromFolder(e *providerEntry, name string) *slot {
	if !e.mayHold()(name) {
		return nil
	}
	key, stamped := stampOf(e.Path(), name, p.opts)
	if stamped {
		if r := p.cache.stamps.recall(key); r != nil {
			return &slot{record: r, recalled: true}
		}
	}
	s := p.readFolder(e, name)
	if stamped && s != nil && s.record != nil && len(s.problems) == 0 {
		if again, ok := stampOf(e.Path(), name, p.opts); ok && again == key &&
			time.Since(time.Unix(0, key.time)) > classpath.RacyInterval {
			p.cache.stamps.remember(key, s.record)
		}
	}
	return s
}

// readFolder is fromFolder of a class file that has to be read.
func (p *Provider) readFolder(e *providerEntry, name string) *slot {
	data, ok, err := e.Find(name)
	if !ok && err == nil {
		return nil
	}
	key := folderKey{sha256.Sum256(data), p.opts}
	if err == nil {
		e.folder.saw(name, key.digest())
		if r := p.cache.files.recall(key); r != nil && r.Name == name {
			return &slot{record: r, recalled: true}
		}
		if r := e.folder.find(name, key.digest()); r != nil {
			p.cache.files.remember(key, r)
			return &slot{record: r, stored: true}
		}
	}
	s := &slot{}
	if s.record, s.problems, s.err = facts.FromFile(name, data, err, p.opts); s.record != nil && len(s.problems) == 0 {
		e.folder.computed(s.record)
		p.cache.files.remember(key, s.record)
	}
	return s
}

// folderKey identifies the record of a class file outside of containers.
type folderKey struct {
	sum  [sha256.Size]byte
	opts facts.Options
}

// digest is that of the record, see Class.Digest.
func (k *folderKey) digest() [16]byte { return [16]byte(k.sum[:16]) }

// stampKey identifies a class file outside of containers by how it looks.
type stampKey struct {
	file       string
	size, time int64 // bytes, and nanoseconds since 1970
	opts       facts.Options
}

// stampOf looks at a class file of a folder; ok is false where that tells nothing.
func stampOf(folder, name string, o facts.Options) (key stampKey, ok bool) {
	local := filepath.FromSlash(name + ".class")
	if !filepath.IsLocal(local) || strings.ContainsRune(name, 0) {
		return stampKey{}, false
	}
	file := filepath.Join(folder, local)
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return stampKey{}, false
	}
	return stampKey{file, info.Size(), info.ModTime().UnixNano(), o}, true
}
