package solve

import (
	"math/rand/v2"
	"testing"
)

// Random unions agree with maps.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var a arena
	sets := make([]setRef, 20)
	want := make([]map[Block]uint64, len(sets))
	for i := range want {
		want[i] = map[Block]uint64{}
	}
	for range 20000 {
		i := rng.IntN(len(sets))
		if rng.IntN(100) == 0 {
			a.release(sets[i])
			sets[i], want[i] = setRef{}, map[Block]uint64{}
			continue
		}
		var nb []Block
		var nw []uint64
		for b := Block(rng.IntN(50)); len(nb) < 1+rng.IntN(6); b += 1 + Block(rng.IntN(40)) {
			nb, nw = append(nb, b), append(nw, 1<<rng.IntN(64))
			want[i][b] |= nw[len(nw)-1]
		}
		a.merge(&sets[i], nb, nw)
		b, w := a.view(sets[i])
		if len(b) != len(want[i]) {
			t.Fatalf("%d blocks, want %d", len(b), len(want[i]))
		}
		for k := range b {
			if want[i][b[k]] != w[k] || k > 0 && b[k-1] >= b[k] {
				t.Fatalf("block %d has %x, want %x", b[k], w[k], want[i][b[k]])
			}
		}
	}
}

func TestSeek(t *testing.T) {
	b := []Block{1, 3, 5, 8, 13, 21}
	for x := Block(0); x < 25; x++ {
		want := 0
		for want < len(b) && b[want] < x {
			want++
		}
		if got := seek(b, x); got != want {
			t.Errorf("seek(%d) is %d, want %d", x, got, want)
		}
	}
}
