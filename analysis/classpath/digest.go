package classpath

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// DigestCache remembers the hash of a file's content by its path, size and
// modification time. It may be kept on disk, so that a JDK of 130 MB is hashed
// once and not at each start.
type DigestCache struct {
	mu      sync.Mutex
	entries map[string]fileDigest
	changed bool
}

type fileDigest struct {
	Size   int64  `json:"size"`
	MTime  int64  `json:"mtime"` // ns
	Digest string `json:"digest"`
}

// RacyInterval is how long after its last change a file may change again
// without a new modification time, as file systems count it in steps of up to two
// seconds: nothing is remembered by the time of such a file.
const RacyInterval = 2 * time.Second

var processDigests = NewDigestCache()

// NewDigestCache returns an empty cache.
func NewDigestCache() *DigestCache { return &DigestCache{entries: map[string]fileDigest{}} }

// digestsSubject is what the file of a DigestCache is about.
const digestsSubject = "digests"

// LoadDigestCache reads a cache that Save wrote. One that is missing or
// damaged is an empty cache.
func LoadDigestCache(file string) *DigestCache {
	c := NewDigestCache()
	if b, err := sealed.Read(file, digestsSubject); err == nil {
		if json.Unmarshal(b, &c.entries) != nil || c.entries == nil {
			c.entries = map[string]fileDigest{}
		}
	}
	return c
}

// Save writes the cache, if it has changed, so that a reader sees the old or
// the new file, whole.
func (c *DigestCache) Save(file string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.changed {
		return nil
	}
	b, err := json.Marshal(c.entries)
	if err != nil {
		return err
	}
	if err := sealed.Write(file, digestsSubject, b); err != nil {
		return err
	}
	c.changed = false
	return nil
}

// File returns the SHA-256 of a file's content in hexadecimal. A nil cache is the
// one of this process.
func (c *DigestCache) File(path string) (string, error) {
	if c == nil {
		c = processDigests
	}
	f, info, err := bounded.Open(path, bounded.Archive)
	if err != nil {
		return "", err
	}
	defer f.Close()
	size, mtime := info.Size(), info.ModTime().UnixNano()
	c.mu.Lock()
	e, ok := c.entries[path]
	c.mu.Unlock()
	if ok && e.Size == size && e.MTime == mtime {
		return e.Digest, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	digest := hex.EncodeToString(h.Sum(nil))
	if time.Since(info.ModTime()) > RacyInterval {
		c.mu.Lock()
		c.entries[path] = fileDigest{size, mtime, digest}
		c.changed = true
		c.mu.Unlock()
	}
	return digest, nil
}
