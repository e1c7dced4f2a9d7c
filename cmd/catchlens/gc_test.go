package main

import (
	"runtime"
	"testing"
	"time"
)

func TestHeapGrowth(t *testing.T) {
	if beforeFirst != 11000 {
		t.Errorf("before the first collection: %d%%", beforeFirst)
	}
	for live, want := range map[uint64]int{0: 400, 10 << 20: 400, 110 << 20: 300, 220 << 20: 100, 400 << 20: 30,
		450 << 20: 20, 500 << 20: 8, 510 << 20: 50, 4 << 30: 50} {
		if got := heapGrowth(live); got != want {
			t.Errorf("%d MB in use: %d%%, want %d%%", live>>20, got, want)
		}
	}
}

// f is called after each collection, not only after the first.
func TestAfterGC(t *testing.T) {
	calls := make(chan bool, 100)
	afterGC(func() {
		select {
		case calls <- true:
		default:
		}
	})
	for range 2 {
		for deadline := time.Now().Add(time.Minute); ; {
			runtime.GC()
			select {
			case <-calls:
			case <-time.After(10 * time.Millisecond):
				if time.Now().Before(deadline) {
					continue
				}
				t.Fatal("not called after a collection")
			}
			break
		}
	}
	for _, m := range []string{"/gc/heap/live:bytes", "/gc/heap/goal:bytes"} {
		if sized(m) == 0 {
			t.Errorf("%s is not known", m)
		}
	}
}
