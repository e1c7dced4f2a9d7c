package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packer takes the files of an archive one after the other.
type packer interface {
	add(name string, executable bool, content []byte) error
	Close() error
}

// archive writes the archive of a platform: a zip for Windows, a compressed tar for others. The
// same commit gives the same bytes.
func (r *release) archive(ctx context.Context, t target, notices string) error {
	name := fmt.Sprintf("catchlens-%s-%s-%s", r.version, t.os, t.arch)
	work, err := os.MkdirTemp("", "catchlens-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program := "catchlens"
	if t.os == "windows" {
		program += ".exe"
	}
	if err := r.build(ctx, r, t, filepath.Join(work, program)); err != nil {
		return err
	}
	listed, err := output(ctx, r.root, "git", append([]string{"ls-files", "--"}, contents...)...)
	if err != nil {
		return err
	}
	file := name + ".tar.gz"
	if t.os == "windows" {
		file = name + ".zip"
	}
	out, err := os.Create(filepath.Join(r.out, file))
	if err != nil {
		return err
	}
	var p packer = &tarPacker{gzip.NewWriter(out), nil, r.made}
	if t.os == "windows" {
		p = &zipPacker{zip.NewWriter(out), r.made}
	}
	err = addFrom(p, filepath.Join(work, program), path.Join(name, program), true)
	if err == nil {
		err = p.add(path.Join(name, "NOTICES.txt"), false, []byte(notices))
	}
	for _, f := range strings.Fields(listed) {
		if err == nil {
			err = addFrom(p, filepath.Join(r.root, filepath.FromSlash(f)), path.Join(name, f), false)
		}
	}
	return errors.Join(err, p.Close(), out.Close())
}

// addFrom adds a file of this machine.
func addFrom(p packer, file, name string, executable bool) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return p.add(name, executable, content)
}

// mode are the permissions of a file in an archive.
func mode(executable bool) os.FileMode {
	if executable {
		return 0o755
	}
	return 0o644
}

type tarPacker struct {
	zipped *gzip.Writer
	w      *tar.Writer
	made   time.Time
}

func (p *tarPacker) add(name string, executable bool, content []byte) error {
	if p.w == nil {
		p.w = tar.NewWriter(p.zipped)
	}
	err := p.w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)),
		Mode: int64(mode(executable)), ModTime: p.made, Format: tar.FormatUSTAR})
	if err == nil {
		_, err = p.w.Write(content)
	}
	return err
}

// Close ends the archive.
func (p *tarPacker) Close() error {
	var err error
	if p.w != nil {
		err = p.w.Close()
	}
	return errors.Join(err, p.zipped.Close())
}

type zipPacker struct {
	w    *zip.Writer
	made time.Time
}

func (p *zipPacker) add(name string, executable bool, content []byte) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.made}
	h.SetMode(mode(executable))
	w, err := p.w.CreateHeader(h)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// Close ends the archive.
func (p *zipPacker) Close() error { return p.w.Close() }

// sumsName is the file with the checksums of a release, as sha256sum writes and checks them.
const sumsName = "SHA256SUMS"

// writeSums writes the checksums of the files in a folder.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, sum+"  "+e.Name()+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[sha256.Size*2:], b[sha256.Size*2:]) })
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(strings.Join(lines, "")), 0o644)
}

// sumOf is the checksum of a file.
func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
