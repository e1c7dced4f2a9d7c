package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/catchlens/catchlens/analysis/maven"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/sealed"
)

// This file names workspaces in the cache, alike on all machines.

const (
	mavenPrefix = "maven " // of an identity that is Maven coordinates
	placePrefix = "at-"    // of the files that placeOf names
)

// workspaceKey names a workspace in the cache: by what it is where that can be told, so
// that results go with a cache folder to other folders and machines, else by where it stands.
func workspaceKey(roots []string) string { return workspaceKeys(roots)[0] }

// workspaceKeys are the key of a workspace, and those that it had, or would have, without
// the origin of its repository or the coordinates in its pom.xml.
func workspaceKeys(roots []string) (keys []string) {
	for less := 0; ; less++ {
		var all []string
		more := false
		for _, r := range roots {
			names := identities(r)
			all = append(all, names[min(less, len(names)-1)])
			more = more || less+1 < len(names)
		}
		keys = append(keys, keyOf(all))
		if !more {
			return keys
		}
	}
}

// keyOf is a name for a file: readable by the first of some identities, and different for different
// ones.
func keyOf(all []string) string {
	name := filepath.Base(strings.TrimSuffix(all[0], " ."))
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, name)
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return clean + "-" + hex.EncodeToString(sum[:6])
}

// identities are the repository that a folder was cloned from, with its place in it; the
// Maven coordinates of the folder; its path: what there is of them.
func identities(root string) (names []string) {
	for top := root; ; top = filepath.Dir(top) {
		if config, ok := gitConfig(top); ok {
			if url := originOf(config); url != "" {
				rel, _ := filepath.Rel(top, root)
				names = append(names, "git "+url+" "+filepath.ToSlash(rel))
			}
			break
		}
		if top == filepath.Dir(top) {
			break
		}
	}
	if c := maven.Coordinates(filepath.Join(root, "pom.xml")); c != "" {
		names = append(names, mavenPrefix+c)
	}
	return append(names, root)
}

// resultsFolder is the folder of a workspace's results in the cache. A workspace that got an
// origin or coordinates begins with a copy of what it has under its earlier name, which others
// may use still: of coordinates, only if it was used from the same place, since programs of
// others may have them, too. With an error the folder can be used, without that copy.
func resultsFolder(cache string, roots []string) (string, error) {
	clearCopies(filepath.Join(cache, "results"))
	keys := workspaceKeys(roots)
	at := func(key string) string { return filepath.Join(cache, "results", key) }
	dir, here := at(keys[0]), placeOf(roots)
	if own := at(keys[len(keys)-1]); namedByCoordinates(roots) &&
		(isUsedElsewhere(dir, here) || usedInstead(own, dir, here)) {
		dir = own
	}
	if _, err := os.Stat(dir); err != nil {
		for n, earlier := range keys[1:] {
			_, err := os.Stat(at(earlier))
			if err == nil && n < len(keys)-2 { // not the last, which is the place
				_, err = os.Stat(filepath.Join(at(earlier), here))
			}
			if err != nil || earlier == keys[0] {
				continue
			}
			if err := takeOver(at(earlier), dir); err != nil {
				return dir, err
			}
			break
		}
	}
	if info, err := os.Stat(filepath.Join(dir, here)); (err != nil || info.Size() == 0) &&
		os.MkdirAll(dir, 0o700) == nil {
		os.WriteFile(
			filepath.Join(dir, here),
			[]byte(strings.Join(roots, "\n")),
			0o600,
		) // a cache that cannot be written to may be read
	}
	return dir, nil
}

// namedByCoordinates tells whether Maven coordinates alone say what one of the folders is.
func namedByCoordinates(roots []string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return strings.HasPrefix(identities(r)[0], mavenPrefix) })
}

// isUsedElsewhere tells whether a folder of results is not used from here, but from a place that is
// still there: two programs may have the same coordinates, as those that follow a tutorial.
func isUsedElsewhere(dir, here string) bool {
	places, _ := filepath.Glob(filepath.Join(dir, placePrefix+"*"))
	another := false
	for _, p := range places {
		if filepath.Base(p) == here {
			return false
		}
		text, err := filetree.ReadText(p)
		there := err == nil && len(text) > 0
		for r := range strings.SplitSeq(string(text), "\n") {
			_, err := os.Stat(r)
			there = there && err == nil
		}
		another = another || there
	}
	return another
}

// usedInstead tells whether a workspace has results under its path and none under its coordinates,
// which another one has: that may be gone meanwhile.
func usedInstead(byPath, byCoordinates, here string) bool {
	has := func(name ...string) bool { _, err := os.Stat(filepath.Join(name...)); return err == nil }
	return has(byPath, here) && has(byCoordinates) && !has(byCoordinates, here)
}

// placeOf is the name of the file that tells in a folder of results that a workspace at
// this place uses it. Its lines are the workspace's folders.
func placeOf(roots []string) string {
	sum := sha256.Sum256([]byte(strings.Join(roots, "\n")))
	return placePrefix + hex.EncodeToString(sum[:8])
}

// takeOver makes a folder a copy of another one, unless somebody else has made it meanwhile.
func takeOver(from, to string) error {
	parent := filepath.Dir(to)
	unlock, err := copying(parent)
	if err != nil {
		return fmt.Errorf("copying the results of %s: %w", filepath.Base(from), err)
	}
	defer unlock()
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	work, err := os.MkdirTemp(parent, copyPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	part := ""
	for n := range 5 { // segments may be merged meanwhile, and gone
		part = filepath.Join(work, strconv.Itoa(n))
		if err = os.CopyFS(part, os.DirFS(from)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err == nil {
		err = os.Chmod(part, 0o700)
	}
	if err == nil {
		err = os.Rename(part, to)
	}
	if _, there := os.Stat(to); there == nil {
		return nil
	}
	return fmt.Errorf("copying the results of %s: %w", filepath.Base(from), err)
}

// copyPrefix begins the names of folders that copies are made in, and of no folder of results
// (keyOf).
const copyPrefix = "copy+"

// maxCopying is how long another process is waited for that copies results.
const maxCopying = time.Minute

// copying waits until no other process copies results into a folder, and keeps others from it
// until unlock is called.
func copying(folder string) (unlock func(), err error) {
	lock := copyLock(folder)
	ctx, cancel := context.WithTimeout(context.Background(), maxCopying)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, err
	}
	return func() { lock.Unlock() }, nil
}

// copyLock is the lock of those who copy results into a folder: beside it, as everything in it is
// somebody's results.
func copyLock(folder string) *flock.Flock { return sealed.Lock(folder + ".lock") }

// clearCopies removes what killed processes have left of copies; while somebody copies, nothing.
func clearCopies(folder string) {
	entries, _ := os.ReadDir(folder) // not there yet: nothing is left
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), copyPrefix) })
	if len(entries) == 0 {
		return
	}
	lock := copyLock(folder)
	if locked, err := lock.TryLock(); err != nil || !locked {
		return
	}
	defer lock.Unlock()
	for _, e := range entries {
		os.RemoveAll(filepath.Join(folder, e.Name()))
	}
}

// gitConfig is the configuration file of the repository whose work tree a folder is.
func gitConfig(top string) (file string, ok bool) {
	dir := filepath.Join(top, ".git")
	info, err := os.Stat(dir)
	if err != nil {
		return "", false
	}
	if !info.IsDir() { // another work tree of a repository, or a submodule: "gitdir: PATH"
		text, err := filetree.ReadText(dir)
		path, found := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if err != nil || !found {
			return "", false
		}
		dir = absolute(top, path)
		if common, err := filetree.ReadText(filepath.Join(dir, "commondir")); err == nil {
			dir = absolute(dir, strings.TrimSpace(string(common)))
		}
	}
	return filepath.Join(dir, "config"), true
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// originOf is the address of the remote called origin, as host and path: without what
// differs between those who clone it. "": there is none, or it is a folder.
func originOf(config string) string {
	text, err := filetree.ReadText(config)
	if err != nil {
		return ""
	}
	inOrigin := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inOrigin = line == `[remote "origin"]`
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if inOrigin && strings.TrimSpace(key) == "url" {
			return address(strings.TrimSpace(value))
		}
	}
	return ""
}

// address is host and path of "https://user@host/path.git", "ssh://git@host/path" or
// "git@host:path".
func address(url string) string {
	_, rest, scheme := strings.Cut(url, "://")
	if strings.HasPrefix(url, "file://") {
		return ""
	}
	if !scheme {
		host, path, ok := strings.Cut(url, ":")
		if !ok || strings.ContainsAny(host, `/\`) || len(host) == 1 { // a folder, with a drive or without
			return ""
		}
		rest = host + "/" + path
	}
	if host, path, _ := strings.Cut(rest, "/"); strings.Contains(host, "@") {
		rest = host[strings.LastIndexByte(host, '@')+1:] + "/" + path
	}
	return strings.TrimSuffix(strings.TrimSuffix(rest, "/"), ".git")
}
