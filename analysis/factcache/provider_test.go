package factcache

import (
	"archive/zip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// compileFixtures compiles the files of package facts into a folder, and packs it into a jar.
func compileFixtures(t *testing.T) (folder, jar string) {
	t.Helper()
	files, _ := filepath.Glob("../facts/testdata/*.java")
	dir := t.TempDir()
	folder, jar = filepath.Join(dir, "classes"), filepath.Join(dir, "x.jar")
	testjdk.Javac(t, testjdk.JDK(t, 25), 25, nil, folder, files...)
	pack(t, folder, jar)
	return folder, jar
}

func pack(t *testing.T, folder, jar string) {
	t.Helper()
	f, err := os.Create(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	if err := w.AddFS(os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// provide opens the paths with a cache of its own, as a new process would.
func provide(t *testing.T, cacheDir string, paths ...string) (*Provider, *Cache) {
	t.Helper()
	path := classpath.Open(paths, classpath.Options{Feature: 25})
	if len(path.Problems) > 0 {
		t.Fatal(path.Problems)
	}
	t.Cleanup(func() { path.Close() })
	cache := OpenCache(cacheDir)
	t.Cleanup(cache.Forget)
	p := NewProvider(cache, path.Entries, 25, facts.Options{})
	t.Cleanup(p.Close)
	return p, cache
}

var fixtureNames = []string{"p/Throws", "p/Finally", "p/Calls", "p/Calls$Other", "p/Modern", "p/Modern$Color",
	"p/Patterns"}

func stores(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestProviderKeepsRecords(t *testing.T) {
	_, jar := compileFixtures(t)
	dir := t.TempDir()
	p, cache := provide(t, dir, jar)
	want := map[string]*facts.Class{}
	for _, n := range fixtureNames[:3] {
		r, origin, err := p.Load(n)
		if err != nil || r == nil || origin != 0 || r.Name != n {
			t.Fatalf("%s: %v, %d, %v", n, r, origin, err)
		}
		if again, _ := p.Class(n); again != r {
			t.Errorf("%s: a second record", n)
		}
		want[n] = r
	}
	if r, origin, err := p.Load("p/Absent"); r != nil || origin != NoEntry || err != nil {
		t.Errorf("absent class: %v, %d, %v", r, origin, err)
	}
	if s := p.Stats(); s != (Stats{Asked: 4, Found: 3, Computed: 3}) {
		t.Errorf("%+v", s)
	}
	p.Close()
	if err := cache.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := len(stores(t, dir)); n != 1 {
		t.Fatalf("%d stores", n)
	}
	p2, _ := provide(t, dir, jar)
	for n, r := range want {
		if got, ok := p2.Class(n); !ok || got == r || !reflect.DeepEqual(got, r) {
			t.Errorf("%s: the stored record differs", n)
		}
	}
	if s := p2.Stats(); s.Computed != 0 {
		t.Errorf("%+v: computed what was stored", s)
	}
}

// Each process adds what it computed; the segments are merged in time.
func TestSegmentsAreMerged(t *testing.T) {
	_, jar := compileFixtures(t)
	dir := t.TempDir()
	for i, n := range fixtureNames {
		p, cache := provide(t, dir, jar)
		p.Close() // nothing ahead
		if _, ok := p.Class(n); !ok {
			t.Fatal(n)
		}
		if err := cache.Flush(); err != nil {
			t.Fatal(err)
		}
		if got, want := len(stores(t, dir)), i%(maxSegments-1)+1; got != want {
			t.Errorf("after %d flushes there are %d segments, want %d", i+1, got, want)
		}
		for _, n := range fixtureNames[:i+1] { // also of segments merged meanwhile
			if _, ok := p.Class(n); !ok {
				t.Errorf("%s is gone after flush %d", n, i+1)
			}
		}
	}
	p, _ := provide(t, dir, jar)
	for _, n := range fixtureNames {
		p.Class(n)
	}
	if s := p.Stats(); s.Computed != 0 || s.Found != len(fixtureNames) {
		t.Errorf("%+v", s)
	}
}

// Damaged stores, stores of something else under the name, and rubbish are
// rebuilt.
func TestDamagedCache(t *testing.T) {
	_, jar := compileFixtures(t)
	for what, spoil := range map[string]func(path string, data []byte) []byte{
		"cut":     func(_ string, d []byte) []byte { return d[:len(d)/2] },
		"rubbish": func(string, []byte) []byte { return []byte(strings.Repeat("rubbish", 100)) },
		"empty":   func(string, []byte) []byte { return nil },
		"record":  func(_ string, d []byte) []byte { d[facts.HeaderSize+10]++; return d },
		"foreign": func(path string, _ []byte) []byte {
			b := facts.NewStoreBuilder()
			b.Add(&facts.Class{Name: "p/Throws", Super: "not/Right"})
			other := filepath.Join(t.TempDir(), "other")
			if err := b.WriteFile(other, facts.StoreKey("other"), true); err != nil {
				t.Fatal(err)
			}
			d, _ := os.ReadFile(other)
			return d
		},
	} {
		dir := t.TempDir()
		for round := range 3 {
			p, cache := provide(t, dir, jar)
			p.Close()
			r, ok := p.Class("p/Throws")
			if !ok || r.Super != "java/lang/Object" {
				t.Errorf("%s, round %d: %+v", what, round, r)
			}
			if computed := p.Stats().Computed; computed != []int{1, 1, 0}[round] {
				t.Errorf("%s, round %d: computed %d", what, round, computed)
			}
			if err := cache.Flush(); err != nil {
				t.Fatal(err)
			}
			cache.Forget()
			if list := stores(t, dir); round == 0 {
				data, err := os.ReadFile(list[0])
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(list[0], spoil(list[0], data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestProviderSearchOrderAndProblems(t *testing.T) {
	folder, jar := compileFixtures(t)
	broken := t.TempDir()
	if err := os.MkdirAll(filepath.Join(broken, "p"), 0o777); err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(filepath.Join(folder, "p", "Calls.class"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"Calls": calls[:len(calls)/2], "Throws": calls} {
		if err := os.WriteFile(filepath.Join(broken, "p", name+".class"), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, _ := provide(t, "", broken, jar, folder)
	if r, origin, err := p.Load("p/Calls"); r != nil || origin != 0 || err == nil ||
		!strings.Contains(err.Error(), "p/Calls") {
		t.Errorf("cut class file: %v, %d, %v", r, origin, err)
	}
	if r, _, err := p.Load("p/Throws"); r != nil || err == nil || !strings.Contains(err.Error(), "p/Calls") {
		t.Errorf("class file of another class: %v, %v", r, err)
	}
	if _, origin, err := p.Load("p/Finally"); origin != 1 || err != nil {
		t.Errorf("the jar comes before the folder: %d, %v", origin, err)
	}
	problems := p.Problems()
	if len(problems) != 2 || problems[0].File != broken || problems[0].Class != "p/Calls" ||
		problems[1].Class != "p/Throws" {
		t.Errorf("problems %v", problems)
	}
}

// A class that could not be read once can be read later, by the next provider:
// the cache keeps no errors.
func TestErrorsAreNotKept(t *testing.T) {
	_, jar := compileFixtures(t)
	path := classpath.Open([]string{jar}, classpath.Options{})
	defer path.Close()
	broken := &failing{Entry: path.Entries[0], fail: true}
	cache := OpenCache("")
	if _, _, err := NewProvider(cache, []classpath.Entry{broken}, 25, facts.Options{}).Load("p/Calls"); err == nil {
		t.Error("no error")
	}
	broken.fail = false
	if _, ok := NewProvider(cache, []classpath.Entry{broken}, 25, facts.Options{}).Class("p/Calls"); !ok {
		t.Error("the error was kept")
	}
}

// A class whose reading has panicked is looked for again, by the same provider and by the next one:
// none takes the panic for an answer. Whoever waited for it panics, too.
func TestPanicsAreNotKept(t *testing.T) {
	_, jar := compileFixtures(t)
	path := classpath.Open([]string{jar}, classpath.Options{})
	defer path.Close()
	broken := &failing{Entry: path.Entries[0], panics: true}
	cache := OpenCache("")
	one, other := NewProvider(cache, []classpath.Entry{broken}, 25, facts.Options{}),
		NewProvider(cache, []classpath.Entry{broken}, 25, facts.Options{})
	panics := func(p *Provider) (did bool) {
		defer func() { did = recover() != nil }()
		p.Class("p/Calls")
		return false
	}
	for range 2 {
		if !panics(one) {
			t.Error("there is an answer")
		}
	}
	asked := make(chan struct{})
	broken.finding = func() { close(asked); time.Sleep(50 * time.Millisecond) }
	first := make(chan bool)
	go func() { first <- panics(other) }()
	<-asked
	broken.finding = nil
	if second := panics(one); !<-first || !second {
		t.Error("not both of those that look for it at the same time are told")
	}
	broken.panics = false
	for _, p := range []*Provider{one, other} {
		if _, ok := p.Class("p/Calls"); !ok {
			t.Error("it is not looked for again")
		}
	}
}

// failing is an entry that cannot be read while fail is set, and panics while panics is.
type failing struct {
	classpath.Entry
	fail, panics bool
	finding      func() // called first; may be nil
}

func (f *failing) Find(name string) ([]byte, bool, error) {
	if f.finding != nil {
		f.finding()
	}
	if f.panics {
		panic(name)
	}
	if f.fail {
		return nil, false, os.ErrPermission
	}
	return f.Entry.Find(name)
}

// A record of a folder is shared between providers while someone holds it, and
// follows the class file.
func TestProviderOfFolder(t *testing.T) {
	folder, _ := compileFixtures(t)
	path := classpath.Open([]string{folder}, classpath.Options{})
	cache := OpenCache("")
	first, _ := NewProvider(cache, path.Entries, 25, facts.Options{}).Class("p/Calls")
	second, _ := NewProvider(cache, path.Entries, 25, facts.Options{}).Class("p/Calls")
	if first == nil || first != second {
		t.Error("an unchanged class was computed again")
	}
	if other, _ := NewProvider(cache, path.Entries, 25,
		facts.Options{Implicit: true}).Class("p/Calls"); other == first {
		t.Error("records with and without implicit sites are the same")
	}
	src := filepath.Join(t.TempDir(), "Calls.java")
	if err := os.WriteFile(src, []byte("package p; class Calls { void f() {} }"), 0o666); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 25), 25, nil, folder, src)
	changed, _ := NewProvider(cache, path.Entries, 25, facts.Options{}).Class("p/Calls")
	if changed == nil || len(changed.Methods) != 2 {
		t.Errorf("the record does not follow the class file: %+v", changed)
	}
	if err := cache.Flush(); err != nil {
		t.Error(err)
	}
}

// Many goroutines ask for the same classes while stores are written and merged.
func TestProviderConcurrently(t *testing.T) {
	_, jar := compileFixtures(t)
	dir := t.TempDir()
	p, cache := provide(t, dir, jar)
	var wg sync.WaitGroup
	got := make([][]*facts.Class, 8)
	for g := range got {
		wg.Go(func() {
			for i := range fixtureNames {
				r, ok := p.Class(fixtureNames[(i+g)%len(fixtureNames)])
				if !ok {
					t.Error("missing class")
				}
				got[g] = append(got[g], r)
				if err := cache.Flush(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for g := range got {
		for i, r := range got[g] {
			if r != got[0][(i+g)%len(fixtureNames)] {
				t.Error("two records of one class")
			}
		}
	}
	p2, _ := provide(t, dir, jar)
	for _, n := range fixtureNames {
		p2.Class(n)
	}
	p.Close()
	if err := cache.Flush(); err != nil {
		t.Fatal(err)
	}
}

// The cache of a folder that cannot be written is no obstacle.
func TestCacheCannotBeWritten(t *testing.T) {
	_, jar := compileFixtures(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, cache := provide(t, file, jar)
	if _, ok := p.Class("p/Calls"); !ok {
		t.Error("no record")
	}
	p.Close()
	for range 2 { // what could not be written stays for the next time
		if err := cache.Flush(); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%v, want an error that names %s", err, file)
		}
	}
}

// Methods of jars have keys of their code and generic signatures, those of a JDK none, but for
// those with a type variable in their throws clause; all else is the same, and so is what a store
// gives back.
func TestLessOfJDK(t *testing.T) {
	_, jar := compileFixtures(t)
	path := classpath.Open([]string{jar}, classpath.Options{Feature: 25})
	defer path.Close()
	dir := t.TempDir()
	record := func(e classpath.Entry) *facts.Class {
		cache := OpenCache(dir)
		defer cache.Forget()
		p := NewProvider(cache, []classpath.Entry{e}, 25, facts.Options{})
		defer p.Close()
		r, ok := p.Class("p/Calls")
		if !ok {
			t.Fatal(p.Problems())
		}
		cache.Flush()
		return r
	}
	of, jdk := record(path.Entries[0]), record(image{path.Entries[0], "17"})
	if stored := record(image{path.Entries[0], "17"}); !reflect.DeepEqual(stored, jdk) {
		t.Errorf("stored %+v, was %+v", stored, jdk)
	}
	bare := *of
	bare.Methods = slices.Clone(of.Methods)
	for i := range bare.Methods {
		if bare.Methods[i].CodeDigest == [16]byte{} {
			t.Errorf("%s of a jar has no digest", bare.Methods[i].Name)
		}
		bare.Methods[i].CodeDigest = [16]byte{}
		if !bare.Methods[i].ThrowsVariable {
			bare.Methods[i].Signature = ""
		}
	}
	bare.Fields = slices.Clone(of.Fields)
	for i := range bare.Fields {
		bare.Fields[i].Signature = ""
	}
	if !reflect.DeepEqual(&bare, jdk) {
		t.Errorf("of a JDK %+v, of a jar %+v", jdk, &bare)
	}
}
