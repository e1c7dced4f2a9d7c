package jimage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// samples are resources with every part of a name present and absent, and
// every stack of compression.
func samples() []resource {
	class := pool("java/lang/Object", "(Ljava/io/File;I[LNoPackage;J)Ljava/lang/String;", "()V", "Code", "(LA;)LB;",
		strings.Repeat("long ", 20), "x", "(Lp/q/C;)V")
	return []resource{
		{"java.base", "java/lang/Object.class", []byte("object"), nil},
		{"java.base", "java/lang/String.class", class, []string{"compact-cp"}},
		{"java.base", "java/io/File.class", class, []string{"zip"}},
		{"java.base", "java/io/Reader.class", class, []string{"compact-cp", "zip"}},
		{"java.base", "module-info.class", []byte("module"), nil},
		{"java.base", "java/lang/noextension", []byte("n"), nil},
		{"java.base", "java/lang/.hidden", []byte("h"), nil},
		{"java.base", "java/lang/two.dots.txt", nil, nil},
		{"m.other", "module-info.class", []byte("another"), []string{"zip", "zip"}},
		{"m.other", "p/q/C.class", bytes.Repeat([]byte("c"), 7000), []string{"zip"}},
		{"m.other", "toplevel", []byte("t"), nil},
	}
}

func open(t testing.TB, image []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(image), int64(len(image)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHandmadeImages(t *testing.T) {
	for name, order := range map[string]byteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		t.Run(name, func(t *testing.T) {
			r := open(t, newBuilder(t, order).image(samples()...))
			for _, want := range samples() {
				got, ok, err := r.ReadFile(want.module, want.name)
				if err != nil || !ok || !bytes.Equal(got, want.content) {
					t.Errorf("/%s/%s (%v): %d bytes, %v, %v", want.module, want.name, want.layers, len(got), ok, err)
				}
			}
			for _, absent := range [][2]string{{"java.base", "java/lang/Objec.class"},
				{"java.base", "java/lang/Object"}, {"m.other", "java/lang/Object.class"}, {"java.base", ""}, {"", ""},
				{"java.base", "java.lang/Object.class"}} {
				if _, ok, err := r.Find(absent[0], absent[1]); ok || err != nil {
					t.Errorf("found %q: %v, %v", absent, ok, err)
				}
			}
			modules, err := r.Modules()
			if err != nil || !slices.Equal(modules, []string{"java.base", "m.other"}) {
				t.Errorf("modules %q, %v", modules, err)
			}
			for pkg, want := range map[string]string{"java/lang": "java.base", "p/q": "m.other", "p": "",
				"nothing": ""} {
				if m, ok, err := r.ModuleOf(pkg); m != want || ok != (want != "") || err != nil {
					t.Errorf("package %s is in %q, %v, %v", pkg, m, ok, err)
				}
			}
			n := 0
			if err := r.Each(func(l Location, err error) error { n++; return err }); err != nil || n != len(samples()) {
				t.Errorf("%d resources, %v", n, err)
			}
			stop := errors.New("stop")
			if err := r.Each(func(Location, error) error { return stop }); err != stop {
				t.Errorf("a stopped walk returns %v", err)
			}
		})
	}
}

// readAll reads everything in an image and returns how many resources failed.
func readAll(r *Reader) (read, failed int) {
	count := func(err error) {
		if err != nil {
			failed++
		}
	}
	count(r.Each(func(l Location, err error) error {
		if err != nil {
			failed++
			return nil
		}
		if _, _, err := r.Find(l.Module, l.Name()); err != nil {
			failed++
		}
		b, err := r.Read(l)
		count(err)
		read += len(b)
		return nil
	}))
	_, err := r.Modules()
	count(err)
	_, _, err = r.ModuleOf("java/lang")
	count(err)
	return read, failed
}

func TestTruncatedImages(t *testing.T) {
	image := newBuilder(t, binary.LittleEndian).image(samples()...)
	if _, failed := readAll(open(t, image)); failed != 0 {
		t.Fatalf("%d failures in a whole image", failed)
	}
	opened := 0
	for n := range image {
		r, err := NewReader(bytes.NewReader(image[:n]), int64(n))
		if err != nil {
			var fe *FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("cut to %d bytes: %v", n, err)
			}
			continue
		}
		opened++
		if _, failed := readAll(r); failed == 0 && n < len(image)-1 {
			t.Fatalf("cut to %d of %d bytes without a failure", n, len(image))
		}
	}
	if opened == 0 {
		t.Error("no cut inside the resources")
	}
}

func TestDamagedImages(t *testing.T) {
	image := newBuilder(t, binary.LittleEndian).image(samples()...)
	failures := 0
	for i := range image {
		old := image[i]
		for _, v := range [2]byte{old ^ 1, 0xff} {
			image[i] = v
			r, err := NewReader(bytes.NewReader(image), int64(len(image)))
			if err == nil {
				_, failed := readAll(r)
				failures += failed
			} else {
				failures++
			}
		}
		image[i] = old
	}
	if failures < len(image) { // a flaw in the index shows more than once, one in stored content never
		t.Errorf("only %d failures in %d damaged images", failures, 2*len(image))
	}
}

func TestNoImages(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "short": "abc", "text": strings.Repeat("no image ", 100),
		"zip": "PK\x03\x04" + strings.Repeat("\x00", 100)} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	image := newBuilder(t, binary.LittleEndian).image(samples()...)
	image[6] = 2 // major version
	if _, err := NewReader(bytes.NewReader(image), int64(len(image))); err == nil ||
		!strings.Contains(err.Error(), "version 2.0") {
		t.Errorf("version 2: %v", err)
	}
	b := newBuilder(t, binary.LittleEndian)
	r := open(t, b.image(resource{"m", "a", []byte("12345"), []string{"lzma"}}))
	if _, _, err := r.ReadFile("m", "a"); err == nil || !strings.Contains(err.Error(), `unknown compression "lzma"`) {
		t.Errorf("unknown compression: %v", err)
	}
}

// TestCompressionBombs: content that claims to be huge is refused before memory
// is taken.
func TestCompressionBombs(t *testing.T) {
	b := newBuilder(t, binary.LittleEndian)
	image := b.image(resource{"m", "a", bytes.Repeat([]byte("a"), 1000), []string{"zip"}})
	i := bytes.Index(image, []byte{0xfa, 0xfa, 0xfe, 0xca})
	binary.LittleEndian.PutUint64(image[i+12:], 1<<40)
	if _, _, err := open(t, image).ReadFile("m", "a"); err == nil || !strings.Contains(err.Error(), "claim") {
		t.Errorf("a layer of 1 TB: %v", err)
	}
	binary.LittleEndian.PutUint64(image[i+12:], 999)
	if _, _, err := open(t, image).ReadFile("m", "a"); err == nil {
		t.Error("a layer longer than promised is accepted")
	}
	layers := slices.Repeat([]string{"zip"}, maxLayers+1)
	image = newBuilder(t, binary.LittleEndian).image(resource{"m", "a", []byte("x"), layers})
	if _, _, err := open(t, image).ReadFile("m", "a"); err == nil {
		t.Error("too many layers are accepted")
	}
}

func TestCompressedIntegers(t *testing.T) {
	for _, v := range []uint32{0, 31, 32, 8191, 8192, 1<<21 - 1, 1 << 21, 1<<31 - 1} {
		enc := compressedInt(nil, v)
		s := stream{append(slices.Clip(enc), 7)}
		if got, ok := s.integer(); !ok || got != int(v) || len(s.b) != 1 {
			t.Errorf("%d is read as %d, %v, %d bytes left", v, got, ok, len(s.b))
		}
		s = stream{enc[:len(enc)-1]}
		if got, ok := s.integer(); ok {
			t.Errorf("%d cut short is read as %d", v, got)
		}
	}
}

// TestJDKImages reads the whole image of every JDK.
func TestJDKImages(t *testing.T) {
	for _, home := range testjdk.All(t) {
		if testjdk.Feature(t, home) < 9 {
			continue
		}
		r, err := Open(PathIn(home))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		classes := 0
		err = r.Each(func(l Location, err error) error {
			if err != nil {
				return err
			}
			found, ok, err := r.Find(l.Module, l.Name())
			if err != nil || !ok || found != l {
				t.Errorf("%v is found as %v, %v, %v", l, found, ok, err)
			}
			if l.Ext != "class" {
				return nil
			}
			classes++
			if l.Base == "module-info" || strings.HasPrefix(l.Parent, "META-INF") {
				return nil
			}
			if m, ok, err := r.ModuleOf(l.Parent); m != l.Module || !ok || err != nil {
				t.Errorf("package of %v is in %q, %v, %v", l, m, ok, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		modules, err := r.Modules()
		if err != nil || len(modules) < 60 || classes < 25000 {
			t.Errorf("%s: %d modules, %d classes, %v", home, len(modules), classes, err)
		}
		b, ok, err := r.ReadFile("java.base", "java/lang/Object.class")
		if err != nil || !ok || !bytes.HasPrefix(b, []byte{0xca, 0xfe, 0xba, 0xbe}) {
			t.Errorf("%s: Object has %d bytes, %v, %v", home, len(b), ok, err)
		}
		if _, ok, err := r.ModuleOf("com"); ok || err != nil {
			t.Errorf("%s: com is a package: %v, %v", home, ok, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(newBuilder(f, binary.LittleEndian).image(samples()...))
	f.Add(newBuilder(f, binary.BigEndian).image(samples()...))
	small := resource{"m", "p/A.class", pool("(Lp/A;)V", "x"), []string{"compact-cp"}}
	f.Add(newBuilder(f, binary.LittleEndian).image(small))
	f.Fuzz(func(t *testing.T, image []byte) {
		r, err := NewReader(bytes.NewReader(image), int64(len(image)))
		if err != nil {
			return
		}
		readAll(r)
	})
}

func BenchmarkOpen(b *testing.B) {
	home := testjdk.AtLeast(b, 17)
	for b.Loop() {
		r, err := Open(PathIn(home))
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

// BenchmarkReadClasses looks up and reads every class of an image.
func BenchmarkReadClasses(b *testing.B) {
	r, err := Open(PathIn(testjdk.AtLeast(b, 17)))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for b.Loop() {
		classes := 0
		err := r.Each(func(l Location, err error) error {
			if err != nil || l.Ext != "class" {
				return err
			}
			classes++
			_, _, err = r.ReadFile(l.Module, l.Name())
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(classes), "classes")
	}
}
