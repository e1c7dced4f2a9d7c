package factcache

// This file keeps the records of containers (jars, JDKs): in memory while the
// process lives, and in stores on disk for the next one.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/settings"
	"github.com/catchlens/catchlens/internal/defect"
	"github.com/catchlens/catchlens/internal/sealed"
)

// Cache holds the records of all containers that a process has met. It may be
// used by several goroutines at once, and its folder by several processes.
type Cache struct {
	dir string // of the stores, "" where there is none

	mu         sync.Mutex
	containers map[[facts.KeySize]byte]*container
	folders    map[[facts.KeySize]byte]*folder
	files      held[folderKey]
	stamps     held[stampKey]
}

const (
	formatPrefix = "facts-" // of folders
	storeSuffix  = ".facts"
	maxSegments  = 4                   // more are merged into one
	keepStores   = 90 * 24 * time.Hour // stores that nobody opened for so long are removed
	touchStores  = 24 * time.Hour
	maxAsked     = 64 // files with names of classes (askedFile); each workspace has some
)

// OpenCache returns a cache that keeps stores below dir, which is made when
// needed. For "" it keeps records in memory only.
func OpenCache(dir string) *Cache {
	c := &Cache{containers: make(map[[facts.KeySize]byte]*container), folders: make(map[[facts.KeySize]byte]*folder)}
	if dir != "" {
		// A store of another format has its own folder, so that two versions
		// of this program do not take turns in rebuilding.
		c.dir = filepath.Join(dir, fmt.Sprint(formatPrefix, facts.FormatVersion))
	}
	return c
}

// container is what is known of one jar or JDK. Its records on disk are the
// union of its segments: each is a store, newer ones first.
type container struct {
	cache *Cache
	key   [facts.KeySize]byte
	opts  facts.Options

	open     defect.Once
	segments atomic.Pointer[[]*facts.Store]

	flushing sync.Mutex // held by the one who writes segments

	mu    sync.Mutex
	slots map[string]*slot
	fresh []*facts.Class // computed by this process, not yet in a segment
}

// slot is the place of one class's record.
type slot struct {
	once     sync.Once
	record   *facts.Class
	stored   bool // the record comes from a segment
	recalled bool // it is in memory already, and so is, most likely, what it names
	absent   bool // the container has no such class
	filled   bool // it has come to an end, and not by a panic
	problems []facts.Problem
	err      error
}

// container returns the container of an entry. feature is the Java version that
// it is read for.
func (c *Cache) container(e classpath.Entry, feature int, o facts.Options) *container {
	o.NoStrings = true // they are read of the workspace's code only
	if e.Kind() == classpath.KindJar {
		o.Set = "" // settings are the JDK's
	} else {
		o.NoCodeDigests, o.FewSignatures = true, true
	}
	fresh := &container{cache: c, opts: o, slots: make(map[string]*slot)}
	fresh.segments.Store(new([]*facts.Store))
	digest, err := e.Digest()
	if err != nil {
		fresh.open.Do(func() {}) // nothing on disk can be said to be its
		return fresh
	}
	if jar, ok := e.(*classpath.Jar); !ok || !jar.MultiRelease() {
		feature = 0
	}
	fresh.key = facts.StoreKey(digest, string(e.Kind()), fmt.Sprint(feature), fmt.Sprint(o.Implicit), string(o.Set),
		settings.Key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.containers[fresh.key]; old != nil {
		return old
	}
	c.containers[fresh.key] = fresh
	return fresh
}

// name is how the container's segments start.
func (k *container) name() string { return hex.EncodeToString(k.key[:12]) }

// openSegments opens what is on disk. What is no store of this container is
// removed: it stands under its name.
func (k *container) openSegments() {
	if k.cache.dir == "" {
		return
	}
	paths, _ := filepath.Glob(filepath.Join(k.cache.dir, k.name()+"-*"+storeSuffix)) // the pattern is well formed
	var list []*facts.Store
	for _, path := range paths {
		s, err := facts.OpenStore(path)
		if err == nil && s.Key != k.key {
			s.Close()
			s, err = nil, facts.ErrStore
		}
		if errors.Is(err, facts.ErrStore) {
			os.Remove(path)
		}
		if err != nil {
			continue
		}
		list = append(list, s)
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > touchStores {
			os.Chtimes(path, time.Time{}, time.Now()) // a matter of tidiness only
		}
	}
	k.segments.Store(&list)
}

// get returns the slot of a class, its record found or made; nil where the
// container has no such class. stored tells whether a store had the record.
func (k *container) get(e classpath.Entry, name string) (s *slot, stored bool) {
	k.open.Do(k.openSegments)
	k.mu.Lock()
	if s = k.slots[name]; s == nil {
		s = &slot{}
		k.slots[name] = s
	}
	k.mu.Unlock()
	s.once.Do(func() {
		defer func() { // after a panic, too
			if !s.filled || s.err != nil { // whoever comes later may be able to read it
				k.drop(name, s)
			}
		}()
		k.fill(s, e, name)
		s.filled = true
	})
	if !s.filled {
		panic("reading class " + name + " failed on another goroutine")
	}
	if s.absent {
		return nil, false
	}
	return s, s.stored
}

// drop forgets a slot.
func (k *container) drop(name string, s *slot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.slots[name] == s {
		delete(k.slots, name)
	}
}

// fill completes a slot from a segment or from the class file.
func (k *container) fill(s *slot, e classpath.Entry, name string) {
	for _, seg := range *k.segments.Load() {
		if r, ok := seg.Class(name); ok {
			s.record, s.stored = r, true
			return
		}
		if seg.Whole() && !seg.Has(name) {
			s.absent = true
			return
		}
	}
	data, ok, err := e.Find(name)
	if !ok && err == nil {
		s.absent = true
		return
	}
	if s.record, s.problems, s.err = facts.FromFile(name, data, err, k.opts); s.record == nil || len(s.problems) > 0 {
		return // not stored, so that the next process sees the problems too
	}
	k.mu.Lock()
	k.fresh = append(k.fresh, s.record)
	k.mu.Unlock()
}

// Forget gives up the records in memory, so that only what others hold stays.
// Those that are not on disk are computed again when asked for.
func (c *Cache) Forget() {
	c.mu.Lock()
	old, folders := c.containers, slices.Collect(maps.Values(c.folders))
	c.containers = make(map[[facts.KeySize]byte]*container)
	c.mu.Unlock()
	for _, k := range folders {
		k.forget()
	}
	for _, k := range old {
		for _, s := range *k.segments.Swap(new([]*facts.Store)) {
			s.Close()
		}
	}
}

// Flush writes what was computed since the last Flush to disk. It is meant for
// the end of an analysis, in the background; records may be asked for at the
// same time. Errors of one container do not keep the others from being written.
func (c *Cache) Flush() error {
	if c.dir == "" {
		return nil
	}
	c.mu.Lock()
	list := make([]*container, 0, len(c.containers))
	for _, k := range c.containers {
		list = append(list, k)
	}
	folders := slices.Collect(maps.Values(c.folders))
	c.mu.Unlock()
	var errs []error
	for _, k := range list {
		errs = append(errs, k.flush())
	}
	for _, k := range folders {
		errs = append(errs, k.flush())
	}
	c.prune()
	return errors.Join(errs...)
}

// flush writes a segment of the fresh records; where there are many segments,
// one that takes their place.
func (k *container) flush() error {
	k.flushing.Lock()
	defer k.flushing.Unlock()
	k.mu.Lock()
	fresh := k.fresh
	k.fresh = nil
	k.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	b := facts.NewStoreBuilder()
	for _, r := range fresh {
		b.Add(r)
	}
	old := *k.segments.Load()
	var keep []*facts.Store
	if len(old)+1 >= maxSegments {
		for _, s := range old {
			for n := range s.Len() {
				if r, err := s.At(n); err == nil {
					b.Add(r)
				}
			}
		}
	} else {
		keep = old
	}
	s, err := k.write(b, false)
	if err != nil {
		k.mu.Lock()
		k.fresh = append(k.fresh, fresh...) // for the next time
		k.mu.Unlock()
		return err
	}
	k.replace(append([]*facts.Store{s}, keep...), old[len(keep):])
	return nil
}

// write writes a new segment and opens it.
func (k *container) write(b *facts.StoreBuilder, whole bool) (*facts.Store, error) {
	if err := os.MkdirAll(k.cache.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(k.cache.dir, k.name()+"-*"+storeSuffix)
	if err != nil {
		return nil, err
	}
	f.Close() // its name is taken now
	if err := b.WriteFile(f.Name(), k.key, whole); err != nil {
		os.Remove(f.Name())
		return nil, err
	}
	return facts.OpenStore(f.Name())
}

// replace makes segments the current ones and removes gone. What someone else
// has open goes when they close it, or, on Windows, stays until it is merged
// again.
func (k *container) replace(segments, gone []*facts.Store) {
	k.segments.Store(&segments)
	for _, s := range gone {
		s.Close()
		os.Remove(s.Path())
	}
}

// prune removes stores that nobody has opened for long, all but the newest files with names of
// classes, with states and of folders, and what writers that died have left behind; of other
// formats, too: who has another version of this program now does not clean up after the last one.
func (c *Cache) prune() {
	root := filepath.Dir(c.dir)
	folders, err := os.ReadDir(root)
	if err != nil {
		return
	}
	folders = slices.DeleteFunc(folders,
		func(f fs.DirEntry) bool { return !f.IsDir() || !strings.HasPrefix(f.Name(), formatPrefix) })
	few := map[string]map[string]fs.FileInfo{askedSuffix: {}, stateSuffix: {}, folderSuffix: {}}
	for _, f := range folders {
		pruneFolder(filepath.Join(root, f.Name()), few)
	}
	pruneOldest(few[askedSuffix], maxAsked, math.MaxInt64)
	pruneOldest(few[stateSuffix], maxStates, maxStateBytes)
	pruneOldest(few[folderSuffix], maxFolders, maxFolderBytes)
	for _, f := range folders {
		if folder := filepath.Join(root, f.Name()); folder != c.dir {
			os.Remove(folder) // if it is empty
		}
	}
}

// pruneFolder is prune of one folder but for the files with some suffixes, which it adds by their
// paths.
func pruneFolder(folder string, few map[string]map[string]fs.FileInfo) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		path, age := filepath.Join(folder, f.Name()), time.Since(info.ModTime())
		switch list := few[filepath.Ext(path)]; {
		case list != nil:
			list[path] = info
		case sealed.IsTemp(path) && age > time.Hour, strings.HasSuffix(path, storeSuffix) && age > keepStores:
			os.Remove(path)
		}
	}
}

// pruneOldest removes all but the newest of some files, as many as there may be and of so many
// bytes.
func pruneOldest(files map[string]fs.FileInfo, keep int, size int64) {
	newest := slices.SortedFunc(maps.Keys(files),
		func(a, b string) int { return files[b].ModTime().Compare(files[a].ModTime()) })
	for i, path := range newest {
		if size -= files[path].Size(); i >= keep || size < 0 {
			os.Remove(path)
		}
	}
}

// held finds records by a key as long as someone else holds them.
type held[K comparable] struct {
	mu sync.Mutex
	of map[K]weak.Pointer[facts.Class]
}

// recall returns the record of a key, nil if nobody holds it any more.
func (h *held[K]) recall(key K) *facts.Class {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.of[key].Value()
}

// remember keeps a record for recall.
func (h *held[K]) remember(key K, r *facts.Class) {
	h.mu.Lock()
	if h.of == nil {
		h.of = map[K]weak.Pointer[facts.Class]{}
	}
	h.of[key] = weak.Make(r)
	h.mu.Unlock()
	runtime.AddCleanup(r, h.drop, key)
}

// drop forgets a key whose record is gone.
func (h *held[K]) drop(key K) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[key].Value() == nil {
		delete(h.of, key)
	}
}
