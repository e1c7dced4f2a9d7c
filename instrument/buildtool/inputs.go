package buildtool

// This file watches what a compilation depends on beside its sources: class
// path, options, annotation processors, resources.

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// optionsDigest digests the options, the JDK and the processors.
func (j *job) optionsDigest() string {
	h := sha256.New()
	release, _ := bounded.Read(filepath.Join(j.m.JDKHome, "release"), bounded.Text)
	fmt.Fprintf(h, "%d %s %s %s %q %q\n", stateVersion, j.m.JDKHome, release, j.m.Encoding, j.options(),
		j.m.SourceRoots)
	if j.processing() {
		for _, p := range j.m.ProcessorPath {
			fmt.Fprintln(h, entryDigest(p))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// classPathDigest digests what the class path shows: for folders that this
// package fills the declarations of their classes, for others names, sizes and
// times.
func (j *job) classPathDigest() string {
	h := sha256.New()
	for _, p := range j.m.ClassPath {
		fmt.Fprintln(h, entryDigest(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func entryDigest(p string) string {
	fi, err := os.Stat(p)
	switch {
	case err != nil:
		return p + " missing"
	case !fi.IsDir():
		return fmt.Sprintf("%s %d %d", p, fi.Size(), fi.ModTime().UnixNano())
	}
	if filepath.Base(p) == "classes" {
		if st, found := loadState(filepath.Dir(p)); found {
			return p + " " + st.apiDigest()
		}
	}
	h := sha256.New()
	n := 0
	_ = filepath.WalkDir(p, func(f string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(f, ".class") {
			return nil
		}
		if n++; n > maxSources {
			return fs.SkipAll
		}
		if fi, err := d.Info(); err == nil {
			fmt.Fprintf(h, "%s %d %d\n", f, fi.Size(), fi.ModTime().UnixNano())
		}
		return nil
	})
	return p + " " + hex.EncodeToString(h.Sum(nil)[:16])
}

const processorService = "META-INF/services/javax.annotation.processing.Processor"

// processing says whether annotation processors take part: where the build
// names them, or where javac would find them on the class path by itself
// (before JDK 23, or with -proc:full).
func (j *job) processing() bool {
	m := &j.m
	switch {
	case m.Proc == "none":
		return false
	case len(m.Processors) > 0 || len(m.ProcessorPath) > 0 ||
		slices.ContainsFunc(m.Args, func(a string) bool {
			return strings.HasPrefix(a, "-processor") ||
				strings.HasPrefix(a, "--processor")
		}):
		return true
	case m.JDKFeature >= 23 && m.Proc == "":
		return false
	}
	return len(processorsOf(m.ClassPath)) > 0
}

// wholeModule says whether processors may look at the whole module. Lombok's
// look at one class.
func (j *job) wholeModule() bool {
	if !j.processing() {
		return false
	}
	path := j.m.ProcessorPath
	if len(path) == 0 {
		path = j.m.ClassPath
	}
	names := j.m.Processors
	if len(names) == 0 {
		names = processorsOf(path)
	}
	return len(names) == 0 || slices.ContainsFunc(names,
		func(n string) bool { return !strings.HasPrefix(n, "lombok.") })
}

// processorCache remembers the processors of a jar by path, size and time.
var processorCache sync.Map

// processorsOf lists the annotation processors that a path announces.
func processorsOf(path []string) []string {
	var out []string
	for _, p := range path {
		fi, err := os.Stat(p)
		if err != nil {
			continue
		}
		if fi.IsDir() {
			if data, err := bounded.Read(filepath.Join(p, filepath.FromSlash(processorService)),
				bounded.Text); err == nil {
				out = append(out, serviceNames(strings.NewReader(string(data)))...)
			}
			continue
		}
		key := fmt.Sprintf("%s %d %d", p, fi.Size(), fi.ModTime().UnixNano())
		if v, ok := processorCache.Load(key); ok {
			out = append(out, v.([]string)...)
			continue
		}
		names := jarProcessors(p)
		processorCache.Store(key, names)
		out = append(out, names...)
	}
	return out
}

func jarProcessors(jar string) []string {
	z, err := bounded.OpenZip(jar)
	if err != nil {
		return nil
	}
	defer z.Close()
	f, err := z.Open(processorService)
	if err != nil {
		return nil
	}
	defer f.Close()
	return serviceNames(io.LimitReader(f, 1<<20))
}

func serviceNames(r io.Reader) []string {
	var out []string
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		l, _, _ := strings.Cut(sc.Text(), "#")
		if l = strings.TrimSpace(l); l != "" {
			l, _, _ = strings.Cut(l, ",") // Gradle's incremental.annotation.processors form
			out = append(out, l)
		}
	}
	return out
}

// Bounds of the resources of a source set.
const (
	maxResources    = 50_000
	maxResourceSize = 256 << 20 // bytes in all
)

// syncResources copies resources beside the classes: the build tool's
// processed copies where they are as new as their originals, else the
// originals. Copies whose originals are gone are removed.
func (j *job) syncResources() {
	want := map[string]resource{}
	total := int64(0)
	add := func(root string, classes bool) {
		_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			rel, rerr := filepath.Rel(root, p)
			fi, ierr := d.Info()
			rel = filepath.ToSlash(rel)
			if rerr != nil || ierr != nil || strings.HasSuffix(rel, ".java") ||
				strings.HasSuffix(rel, ".class") && (!classes || !foreignClass(rel, p)) {
				return nil
			}
			old, have := want[rel]
			if have && old.stamp.MTime > fi.ModTime().UnixNano() {
				return nil
			}
			if total += fi.Size(); total > maxResourceSize || len(want) > maxResources {
				return fs.SkipAll
			}
			want[rel] = resource{p, stampOf(fi)}
			return nil
		})
	}
	for _, r := range j.m.Resources {
		add(r, false)
	}
	filtered := j.addSets(want)
	for _, o := range j.m.UserOutputs {
		if fi, err := os.Stat(o); err == nil && fi.IsDir() {
			add(o, true)
		}
	}
	for rel := range j.st.Resources {
		if _, ok := want[rel]; !ok {
			_ = os.Remove(filepath.Join(j.out, filepath.FromSlash(rel)))
			delete(j.st.Resources, rel)
			delete(j.st.Files, rel)
		}
	}
	for rel, r := range want {
		if text, ok := filtered[rel]; ok && want[rel].path == text.path { // its text may change with the build files
			j.writeFiltered(rel, text)
			continue
		}
		if j.st.Resources[rel] == r.stamp {
			continue
		}
		if copyFile(r.path, filepath.Join(j.out, filepath.FromSlash(rel))) == nil && j.st.noteFile(j.out, rel) == nil {
			j.st.Resources[rel] = r.stamp
		}
	}
}

// addSets adds the files of resource sets to the resources that are wanted, and answers those that
// are filtered.
func (j *job) addSets(want map[string]resource) map[string]resource {
	filtered := map[string]resource{}
	for i := range j.m.ResourceSets {
		s := &j.m.ResourceSets[i]
		_ = filepath.WalkDir(s.Dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if d.IsDir() && p != s.Dir && notCopied(p) {
				return filepath.SkipDir
			}
			rel, rerr := filepath.Rel(s.Dir, p)
			info, ierr := d.Info()
			if rel = filepath.ToSlash(rel); rerr != nil || ierr != nil || !d.Type().IsRegular() || !s.Takes(rel) ||
				len(want) > maxResources {
				return nil
			}
			rel = path.Join(s.Target, rel)
			want[rel] = resource{p, stampOf(info)}
			if s.Filtered && j.m.Filter != nil {
				filtered[rel] = want[rel]
			}
			return nil
		})
	}
	return filtered
}

// writeFiltered writes a filtered resource where the class folder has another text.
func (j *job) writeFiltered(rel string, r resource) {
	text, err := bounded.Read(r.path, maxResourceSize)
	if err != nil {
		return
	}
	text = j.m.Filter(r.path, text)
	to := filepath.Join(j.out, filepath.FromSlash(rel))
	if old, err := bounded.Read(to, bounded.Resource); err == nil && bytes.Equal(old, text) {
		j.st.Resources[rel] = r.stamp
		return
	}
	if os.MkdirAll(filepath.Dir(to), 0o700) == nil && os.WriteFile(to, text, 0o600) == nil {
		j.st.Resources[rel] = r.stamp
	}
}

type resource struct {
	path  string
	stamp fileStamp
}

// foreignClass says whether a class of the user's output comes from no Java
// source: module-info, and what other languages' compilers made.
func foreignClass(rel, path string) bool {
	if filepath.Base(rel) == "module-info.class" {
		return true
	}
	data, err := bounded.Read(path, bounded.Class)
	if err != nil {
		return false
	}
	src := sourceFileOf(data)
	ext := filepath.Ext(src)
	return ext != "" && ext != ".java"
}

func copyFile(from, to string) error {
	in, fi, err := bounded.Open(from, bounded.Resource)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	err = sealed.Replace(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err == nil {
		_ = os.Chtimes(to, time.Time{}, fi.ModTime())
	}
	return err
}
