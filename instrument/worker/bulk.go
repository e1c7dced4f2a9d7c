package worker

// This file reads and writes the frames of the bulk channel: u4 length of the
// rest, u1 type, payload. Numbers are big-endian, strings UTF-8 behind a u4
// length. The writer of most of them is catchlens.rt.run.Runner, and of
// records catchlens.rt.record.Recorder.

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
)

// maxFrame bounds what an agent can make us allocate.
const maxFrame = 1 << 28

var errShort = errors.New("frame too short")

func readFrame(r *bufio.Reader) (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n < 1 || n > maxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes", n)
	}
	payload := make([]byte, n-1)
	_, err := io.ReadFull(r, payload)
	return head[4], payload, err
}

// decoder reads a payload. After the first error it yields zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || n < 0 || n > len(d.b) {
		d.err = errShort
		return nil
	}
	p := d.b[:n]
	d.b = d.b[n:]
	return p
}

func (d *decoder) u8() int {
	if p := d.take(1); p != nil {
		return int(p[0])
	}
	return 0
}

func (d *decoder) u16() int {
	if p := d.take(2); p != nil {
		return int(binary.BigEndian.Uint16(p))
	}
	return 0
}

func (d *decoder) u32() int {
	if p := d.take(4); p != nil {
		return int(int32(binary.BigEndian.Uint32(p)))
	}
	return 0
}

func (d *decoder) u64() int64 {
	if p := d.take(8); p != nil {
		return int64(binary.BigEndian.Uint64(p))
	}
	return 0
}

func (d *decoder) str() string { return strings.ToValidUTF8(string(d.take(d.u32())), "\uFFFD") }

// count reads how many items of at least size bytes follow.
func (d *decoder) count(n, size int) int {
	if n < 0 || n*size > len(d.b) {
		d.err = errShort
		return 0
	}
	return n
}

func (d *decoder) strs() []string {
	n := d.count(d.u16(), 4)
	var s []string
	for range n {
		s = append(s, d.str())
	}
	return s
}

func internalName(binary string) string { return strings.ReplaceAll(binary, ".", "/") }

func decodeClasses(payload []byte, add func(*Class)) error {
	d := &decoder{b: payload}
	for n := d.count(d.u32(), 25); n > 0 && d.err == nil; n-- {
		c := &Class{Number: d.u32(), Name: d.str(), Loader: d.str()}
		c.Key = Key{uint32(d.u32()), uint32(d.u32()), uint32(d.u32())}
		c.Late = d.u8() != 0
		add(c)
	}
	return d.err
}

// started is the payload of frameStarted, and exiting of frameExiting.
type started struct {
	seq, kind              int
	what                   string // id of the test, or class of the fixture
	class, method, display string // of a test in a class
}

func decodeStarted(payload []byte) (started, error) {
	d := &decoder{b: payload}
	s := started{seq: d.u32(), kind: d.u8(), what: d.str()}
	if s.kind == kindTest {
		s.class, s.method, s.display = d.str(), d.str(), d.str()
	}
	return s, d.err
}

type exiting struct {
	seq, status int
	test, call  string // call: how people write what was called
}

func decodeExiting(payload []byte) (exiting, error) {
	d := &decoder{b: payload}
	e := exiting{d.u32(), d.u32(), d.str(), d.str()}
	return e, d.err
}

// decodeResult reads the result of a window; class resolves class numbers.
func decodeResult(payload []byte, class func(int) *Class) (seq, kind int, t Test, err error) {
	d := &decoder{b: payload}
	seq, kind = d.u32(), d.u8()
	t.ID, t.Class, t.Method, t.Display = d.str(), d.str(), d.str(), d.str()
	t.Containers = d.strs()
	t.Outcome = Outcome(d.str())
	t.Failure = Failure{d.str(), d.str(), d.str()}
	t.Reason = d.str()
	t.ExitStatus = d.u32()
	t.Duration = time.Duration(d.u64())
	t.StdoutTotal = d.u64()
	t.Stdout = d.str()
	t.StderrTotal = d.u64()
	t.Stderr = d.str()
	t.OutOfMemory = d.u8() != 0
	t.LeakedThreads = d.strs()
	if d.u8() != 0 {
		t.Injection = d.fired()
	}
	if d.u8() != 0 {
		t.Fault = d.struck()
	}
	t.Record = decodeRecord(d, class)
	if d.err == nil && len(d.b) > 0 {
		d.err = fmt.Errorf("%d bytes too many", len(d.b))
	}
	return seq, kind, t, d.err
}

// decodeHangs decodes what is told of a test that hangs.
func decodeHangs(payload []byte, class func(int) *Class) (*Struck, *Record, error) {
	d := &decoder{b: payload}
	d.u32()
	s, r := d.struck(), decodeRecord(d, class)
	if d.err == nil && len(d.b) > 0 {
		d.err = fmt.Errorf("%d bytes too many", len(d.b))
	}
	return s, &r, d.err
}

func (d *decoder) fired() *Fired {
	f := &Fired{Times: int(d.u64()), Problem: d.str(), Exception: d.str(), Constructor: d.str(), Message: d.str(),
		Cause: d.str(), Provenance: record.Provenance(d.str()), Prepared: d.u8() != 0}
	f.Struck = d.strs()
	f.Heard, f.Wanted, f.White, f.Executions, f.Told = d.u8() != 0, d.u32(), d.u32(), d.u32(), d.str()
	return f
}

func (d *decoder) struck() *Struck {
	s := &Struck{Times: int(d.u64()), Operation: d.str(), Object: d.str(), Thread: d.str(), Problem: d.str(),
		Arrived: d.u8() != 0, Way: uint32(d.u32())}
	for n := d.count(d.u32(), 11); n > 0 && d.err == nil; n-- {
		s.Touches = append(s.Touches, Touch{Root: d.u16(), Catch: d.u32(), Aside: d.u8() != 0, Object: d.str()})
	}
	for n := d.count(d.u32(), 2); n > 0 && d.err == nil; n-- {
		s.Later = append(s.Later, d.u16())
	}
	s.Ran = int64(d.u64())
	return s
}

func decodeRecord(d *decoder, class func(int) *Class) Record {
	var r Record
	for n := d.count(d.u32(), 12); n > 0 && d.err == nil; n-- {
		c := Counts{Class: class(d.u32())}
		c.Tries, c.Caught, c.Uncaught = d.counts(), d.counts(), d.counts()
		c.Methods = d.numbers()
		r.Classes = append(r.Classes, c)
	}
	for n := d.count(d.u32(), 15); n > 0 && d.err == nil; n-- {
		r.Links = append(r.Links, d.link(class))
	}
	r.Stray, r.Lost = d.u32(), d.u32()
	known := d.u8()
	r.BelowLost = known == belowLost
	if known == belowKnown {
		for n := d.count(d.u32(), 12); n > 0 && d.err == nil; n-- {
			r.Below = append(r.Below, Below{Catch: d.u32(), Methods: d.methods(class), Aside: d.methods(class)})
		}
	}
	r.Covered = d.covered(class)
	r.Aside = d.covered(class)
	for n := d.count(d.u32(), 15); n > 0 && d.err == nil; n-- {
		x := Context{Up: d.u32() - 1, Call: d.u32(),
			Class: class(d.u32()), Method: uint16(d.u16()), Level: uint8(d.u8())}
		if x.Up >= len(r.Contexts) {
			d.err = errors.New("a context stands before the one above it")
		}
		r.Contexts = append(r.Contexts, x)
	}
	for n := d.count(d.u32(), 8); n > 0 && d.err == nil; n-- {
		x := Executions{class(d.u32()), map[uint16]int64{}}
		for k := d.count(d.u32(), 10); k > 0 && d.err == nil; k-- {
			probe := uint16(d.u16())
			x.Times[probe] += d.u64()
		}
		r.Executions = append(r.Executions, x)
	}
	return r
}

func (d *decoder) covered(class func(int) *Class) (all []Covered) {
	for n := d.count(d.u32(), 8); n > 0 && d.err == nil; n-- {
		c := Covered{Class: class(d.u32())}
		c.Hits = slices.Clone(d.take(d.u32()))
		all = append(all, c)
	}
	return all
}

func (d *decoder) numbers() []uint16 {
	var ns []uint16
	for k := d.count(d.u16(), 2); k > 0; k-- {
		ns = append(ns, uint16(d.u16()))
	}
	return ns
}

func (d *decoder) methods(class func(int) *Class) []Method {
	var ms []Method
	for k := d.count(d.u32(), 6); k > 0; k-- {
		ms = append(ms, Method{class(d.u32()), uint16(d.u16())})
	}
	return ms
}

func (d *decoder) counts() []Count {
	var cs []Count
	for k := d.count(d.u16(), 6); k > 0; k-- {
		cs = append(cs, Count{uint16(d.u16()), d.u32()})
	}
	return cs
}

func (d *decoder) link(class func(int) *Class) Link {
	l := Link{Catch: class(d.u32()), Handler: uint16(d.u16()), Exception: internalName(d.str()), Times: d.u32()}
	switch d.u8() {
	case siteExplicit:
		l.Site = Site{Kind: Explicit, Class: class(d.u32()), N: uint16(d.u16())}
	case siteNative:
		l.Site = Site{Kind: Native, Name: internalName(d.str()), Method: d.str(), Line: d.u32()}
	case siteImplicit:
		l.Site = Site{Kind: Implicit, Name: internalName(d.str()), Method: d.str(), Line: d.u32()}
	case siteDeclared:
		l.Site = Site{Kind: Declared, Name: internalName(d.str()), Method: d.str(), Line: d.u32()}
	case siteUnknown:
		l.Site = Site{Kind: Unknown}
		d.str()
		d.str()
		d.u32()
	case siteInjected:
		l.Site = Site{Kind: Injected}
	default:
		d.err = errors.New("unknown kind of site")
	}
	return l
}

func decodeFound(payload []byte) (seq int, t Discovered, problem string, err error) {
	d := &decoder{b: payload}
	seq = d.u32()
	if d.u8() != 0 {
		t.Class = d.str()
		problem = d.str()
		return seq, t, problem, d.err
	}
	t.ID, t.Class, t.Method, t.Display = d.str(), d.str(), d.str(), d.str()
	t.Dynamic = d.u8() != 0
	t.Tags = d.strs()
	return seq, t, "", d.err
}

func decodeAsk(payload []byte) (id int, loader, name string, original []byte, err error) {
	d := &decoder{b: payload}
	id, loader, name = d.u32(), d.str(), d.str()
	original = d.take(d.u32())
	return id, loader, name, original, d.err
}

// answerFrame is the frame that answers an ask.
func answerFrame(id int, rewritten []byte, m Meta, ok bool) []byte {
	be := binary.BigEndian
	p := be.AppendUint32(nil, 0)
	p = append(p, frameAnswer)
	p = be.AppendUint32(p, uint32(id))
	if !ok {
		p = append(p, 0)
	} else {
		p = append(p, 1)
		p = be.AppendUint32(p, uint32(m.NumberOffset))
		for _, v := range []int{m.Tries, m.Handlers, m.Sites, m.Methods} {
			p = be.AppendUint16(p, uint16(v))
		}
		p = append(p, rewritten...)
	}
	be.PutUint32(p, uint32(len(p)-4))
	return p
}
