package jimage

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"sort"
	"strings"
	"testing"
)

// This file writes small images, so that tests need no JDK for formats that no
// JDK at hand has: big-endian, compressed, damaged.

type resource struct {
	module, name string
	content      []byte
	layers       []string // compression, innermost first
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

type builder struct {
	t       testing.TB
	order   byteOrder
	strings []byte
	at      map[string]uint32
}

func newBuilder(t testing.TB, order byteOrder) *builder {
	b := &builder{t: t, order: order, at: map[string]uint32{}}
	b.str("")
	return b
}

// str returns the offset of s in the image's strings.
func (b *builder) str(s string) uint32 {
	if off, ok := b.at[s]; ok {
		return off
	}
	off := uint32(len(b.strings))
	b.at[s] = off
	b.strings = append(append(b.strings, s...), 0)
	return off
}

func (b *builder) u4(dst []byte, v uint32) []byte { return b.order.AppendUint32(dst, v) }

// split takes a name apart as jlink does.
func split(name string) (parent, base, ext string) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		parent, name = name[:i], name[i+1:]
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name, ext = name[:i], name[i+1:]
	}
	return parent, name, ext
}

// attr appends an attribute with as many bytes as v needs.
func attr(dst []byte, kind int, v uint64) []byte {
	if v == 0 {
		return dst
	}
	n := 1
	for v>>(8*n) != 0 {
		n++
	}
	dst = append(dst, byte(kind<<3|n-1))
	for n--; n >= 0; n-- {
		dst = append(dst, byte(v>>(8*n)))
	}
	return dst
}

// image writes an image of the resources, with the /packages entries of their
// modules.
func (b *builder) image(resources ...resource) []byte {
	packages := map[string]map[string]bool{}
	for _, r := range resources {
		parent, _, _ := split(r.name)
		pkg := strings.ReplaceAll(parent, "/", ".")
		if packages[pkg] == nil {
			packages[pkg] = map[string]bool{}
		}
		packages[pkg][r.module] = true
	}
	for pkg, modules := range packages {
		content := b.u4(b.u4(nil, 1), b.str("an.empty.module"))
		for m := range modules {
			content = b.u4(b.u4(content, 0), b.str(m))
		}
		resources = append(resources, resource{module: "packages", name: pkg, content: content})
	}
	n := len(resources)
	locations, content := []byte{0}, []byte(nil)
	at := make([]uint32, n)
	for i, r := range resources {
		stored := b.compress(r.content, r.layers)
		at[i] = uint32(len(locations))
		parent, base, ext := split(r.name)
		if r.module == "packages" {
			parent, base, ext = "", r.name, ""
		}
		locations = attr(locations, attrModule, uint64(b.str(r.module)))
		locations = attr(locations, attrParent, uint64(b.str(parent)))
		locations = attr(locations, attrBase, uint64(b.str(base)))
		locations = attr(locations, attrExt, uint64(b.str(ext)))
		locations = attr(locations, 9, 0x1234) // a kind that no JDK has yet
		locations = attr(locations, attrOffset, uint64(len(content)))
		if len(r.layers) > 0 {
			locations = attr(locations, attrCompressed, uint64(len(stored)))
		}
		locations = attr(locations, attrSize, uint64(len(r.content)))
		locations = append(locations, 0)
		content = append(content, stored...)
	}
	redirect, offsets := b.perfectHash(resources, at, uint32(n))
	for size := uint32(n) + 1; redirect == nil; size++ {
		redirect, offsets = b.perfectHash(resources, at, size)
	}
	out := b.u4(nil, magic)
	for _, v := range []uint32{majorVersion << 16, 0, uint32(n), uint32(len(redirect)), uint32(len(locations)),
		uint32(len(b.strings))} {
		out = b.u4(out, v)
	}
	for _, v := range redirect {
		out = b.u4(out, uint32(v))
	}
	for _, v := range offsets {
		out = b.u4(out, v)
	}
	out = append(append(out, locations...), b.strings...)
	return append(out, content...)
}

// perfectHash finds a seed for each bucket with collisions and a free place for
// each single entry; nil where a table of n entries has none (of some names the
// hashes differ by the same amount for every seed).
func (b *builder) perfectHash(resources []resource, at []uint32, n uint32) (redirect []int32, offsets []uint32) {
	redirect, offsets = make([]int32, n), make([]uint32, n)
	used := make([]bool, n)
	buckets := make([][]int, n)
	for i, r := range resources {
		h := hashName(hashSeed, r.module, r.name) % n
		buckets[h] = append(buckets[h], i)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return len(buckets[order[i]]) > len(buckets[order[j]]) })
	for _, h := range order {
		bucket := buckets[h]
		if len(bucket) == 0 {
			continue
		}
		if len(bucket) == 1 {
			free := 0
			for used[free] {
				free++
			}
			used[free], offsets[free], redirect[h] = true, at[bucket[0]], int32(-1-free)
			continue
		}
	seeds:
		for seed := uint32(1); ; seed++ {
			if seed == 1000 {
				return nil, nil
			}
			places := map[uint32]int{}
			for _, i := range bucket {
				p := hashName(seed, resources[i].module, resources[i].name) % n
				if _, taken := places[p]; taken || used[p] {
					continue seeds
				}
				places[p] = i
			}
			for p, i := range places {
				used[p], offsets[p] = true, at[i]
			}
			redirect[h] = int32(seed)
			break
		}
	}
	return redirect, offsets
}

func (b *builder) compress(content []byte, layers []string) []byte {
	for _, name := range layers {
		var packed []byte
		switch name {
		case "zip":
			var buf bytes.Buffer
			w := zlib.NewWriter(&buf)
			if _, err := w.Write(content); err != nil {
				b.t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				b.t.Fatal(err)
			}
			packed = buf.Bytes()
		case "compact-cp":
			packed = b.compact(content)
		default:
			packed = content
		}
		h := b.u4(nil, layerMagic)
		h = b.order.AppendUint64(h, uint64(len(packed)))
		h = b.order.AppendUint64(h, uint64(len(content)))
		h = append(b.u4(b.u4(h, b.str(name)), 0), 1)
		content = append(h, packed...)
	}
	return content
}

// compressedInt is the inverse of stream.integer.
func compressedInt(dst []byte, v uint32) []byte {
	switch {
	case v < 1<<5:
		return append(dst, 0x80|1<<5|byte(v))
	case v < 1<<13:
		return append(dst, 0x80|2<<5|byte(v>>8), byte(v))
	case v < 1<<21:
		return append(dst, 0x80|3<<5|byte(v>>16), byte(v>>8), byte(v))
	}
	return append(dst, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

// compact moves the Utf8 entries of a class file into the image's strings;
// every third stays. Descriptors of classes are taken apart.
func (b *builder) compact(class []byte) []byte {
	out := bytes.Clone(class[:10])
	count, p := int(binary.BigEndian.Uint16(class[8:])), 10
	for i := 1; i < count; i++ {
		tag := class[p]
		if tag != tagUtf8 {
			n := 1 + constantSize[tag]
			out = append(out, class[p:p+n]...)
			p += n
			if tag == tagLong || tag == tagDouble {
				i++
			}
			continue
		}
		n := int(binary.BigEndian.Uint16(class[p+1:]))
		text := string(class[p+3 : p+3+n])
		p += 3 + n
		switch {
		case i%3 == 0:
			out = binary.BigEndian.AppendUint16(append(out, tagUtf8), uint16(n))
			out = append(out, text...)
		case strings.HasPrefix(text, "(") && strings.Contains(text, "L"):
			template, names := "", []byte(nil)
			for text != "" {
				template += text[:1]
				if text[0] != 'L' {
					text = text[1:]
					continue
				}
				end := strings.IndexByte(text, ';')
				name := text[1:end]
				pkg := ""
				if k := strings.LastIndexByte(name, '/'); k >= 0 {
					pkg, name = name[:k], name[k+1:]
				}
				names = compressedInt(compressedInt(names, b.str(pkg)), b.str(name))
				text = text[end:]
			}
			out = compressedInt(append(out, tagSharedTemplate), b.str(template))
			out = append(compressedInt(out, uint32(len(names))), names...)
		default:
			out = compressedInt(append(out, tagShared), b.str(text))
		}
	}
	return append(out, class[p:]...)
}

// pool is the start of a class file with these Utf8 entries, a long among them.
func pool(texts ...string) []byte {
	out := []byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61}
	out = binary.BigEndian.AppendUint16(out, uint16(len(texts)+3))
	out = append(out, tagLong, 1, 2, 3, 4, 5, 6, 7, 8)
	for _, s := range texts {
		out = binary.BigEndian.AppendUint16(append(out, tagUtf8), uint16(len(s)))
		out = append(out, s...)
	}
	return append(out, "the rest of the class"...)
}
