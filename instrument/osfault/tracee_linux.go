//go:build linux && (amd64 || arm64)

package osfault

// This file reads what a held call is about: the memory, descriptors and sockets
// of its thread.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const pathMax = 4096

// readMemory reads n bytes at an address of a thread.
func readMemory(tid int, address uint64, n int) ([]byte, error) {
	b := make([]byte, n)
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(n)
	got, err := unix.ProcessVMReadv(tid, []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(address), Len: n}}, 0)
	if err != nil {
		return nil, err
	}
	return b[:got], nil
}

// readString reads a string that ends in a zero byte. It reads page by page, as
// the next one need not be there.
func readString(tid int, address uint64) (string, error) {
	page := uint64(os.Getpagesize())
	var s []byte
	for len(s) < pathMax {
		b, err := readMemory(tid, address, int(page-address%page))
		if err != nil {
			return "", err
		}
		if i := bytes.IndexByte(b, 0); i >= 0 {
			return string(append(s, b[:i]...)), nil
		}
		s, address = append(s, b...), address+uint64(len(b))
	}
	return "", errors.New("a path without an end")
}

// descriptor says what a descriptor of a thread is: a path, or "socket:[N]" and
// the like.
func descriptor(tid, fd int) (string, error) {
	return os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, fd))
}

// resolve is the absolute path that a call means: name relative to the folder of
// descriptor dir, or to the working folder. The links of the folder are followed,
// and of the name itself where follow.
func resolve(tid, dir int, name string, follow bool) (string, error) {
	if name == "" {
		return "", errors.New("an empty path")
	}
	if !filepath.IsAbs(name) {
		link := fmt.Sprintf("/proc/%d/cwd", tid)
		if dir != unix.AT_FDCWD {
			link = fmt.Sprintf("/proc/%d/fd/%d", tid, dir)
		}
		base, err := os.Readlink(link)
		if err != nil {
			return "", err
		}
		name = base + "/" + name
	}
	// "/proc/self" is the tracee, not us.
	for _, self := range []string{"/proc/self/", "/proc/thread-self/"} {
		if rest, ok := strings.CutPrefix(name, self); ok {
			name = fmt.Sprintf("/proc/%d/%s", tid, rest)
		}
	}
	return Canonical(name, follow), nil
}

// Canonical is the path by which the kernel knows a file: links are followed,
// that of the last element only where follow. What is not there stays as written.
func Canonical(path string, follow bool) string {
	path = filepath.Clean(path)
	if follow {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
	folder, base := filepath.Split(path)
	if folder == "" || base == "" {
		return path
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return filepath.Join(real, base)
	}
	return path
}

// socketFile is a copy of a socket's descriptor of a thread.
func socketFile(tid, fd int) (int, error) {
	pid, err := threadGroup(tid)
	if err != nil {
		return -1, err
	}
	p, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(p)
	return unix.PidfdGetfd(p, fd, 0)
}

// threadGroup is the process of a thread.
func threadGroup(tid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(text), "\nTgid:")
	if !ok {
		return 0, fmt.Errorf("/proc/%d/status names no process", tid)
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strconv.Atoi(strings.TrimSpace(line))
}

// ends are the addresses of a socket; the zero value for an end that is not known.
func ends(file int) (local, peer netip.AddrPort) {
	if a, err := unix.Getsockname(file); err == nil {
		local = addressOf(a)
	}
	if a, err := unix.Getpeername(file); err == nil {
		peer = addressOf(a)
	}
	return local, peer
}

func addressOf(a unix.Sockaddr) netip.AddrPort {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr).Unmap(), uint16(a.Port))
	}
	return netip.AddrPort{}
}

// parseAddress reads a struct sockaddr_in or sockaddr_in6.
func parseAddress(b []byte) (netip.AddrPort, bool) {
	if len(b) < 8 {
		return netip.AddrPort{}, false
	}
	family, port := binary.NativeEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
	switch {
	case family == unix.AF_INET:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), port), true
	case family == unix.AF_INET6 && len(b) >= 24:
		return netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])).Unmap(), port), true
	}
	return netip.AddrPort{}, false
}
