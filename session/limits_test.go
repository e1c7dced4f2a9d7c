package session

import (
	"os"
	"testing"
)

func TestHeapLimit(t *testing.T) {
	const gb = 1 << 30
	for _, test := range []struct {
		meminfo, max string
		want         uint64
	}{
		{"", "", 2 * gb}, // not known
		{"MemTotal:        8000000 kB\nMemFree: 7000000 kB\n", "max\n", 2 * gb},
		{"MemTotal:       25165824 kB\n", "max\n", 3 * gb},
		{"MemTotal:       25000000 kB\n", "", 2*gb + 768<<20},
		{"MemTotal:       25165824 kB\n", "8589934592\n", 2 * gb}, // a container
		{"MemTotal:      263000000 kB\n", "", 4 * gb},
		{"MemTotal: much kB\n", "0\n", 2 * gb},
	} {
		got := heapLimit(machineMemory(func(file string) ([]byte, error) {
			switch {
			case file == "/proc/meminfo" && test.meminfo != "":
				return []byte(test.meminfo), nil
			case file == "/sys/fs/cgroup/memory.max" && test.max != "":
				return []byte(test.max), nil
			}
			return nil, os.ErrNotExist
		}))
		if got != test.want {
			t.Errorf("%q, %q: %d MB, want %d", test.meminfo, test.max, got>>20, test.want>>20)
		}
	}
}
