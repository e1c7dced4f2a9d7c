package session

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// This file says what refining may take.

// standardLimits are one and a half minutes of processor time and heapLimit of this machine.
var standardLimits = sync.OnceValue(func() limits {
	return limits{90 * time.Second, heapLimit(machineMemory(os.ReadFile))}
})

// heapLimit is how many bytes may be in use on a machine with so many, 0 where that is not known:
// an eighth, but 2 GB at least and 4 GB at most, in steps of 256 MB, so that what met it is
// recalled when the system has kept some more for itself.
func heapLimit(machine uint64) uint64 {
	const step = 256 << 20
	return min(max(machine/8/step*step, 2<<30), 4<<30)
}

// machineMemory is the memory in bytes of the machine, or that its control group leaves to this
// process where that is less (Linux: proc_meminfo(5); Control Group v2, memory.max; v1,
// memory.limit_in_bytes); 0 elsewhere.
func machineMemory(read func(string) ([]byte, error)) uint64 {
	text, _ := read("/proc/meminfo")
	most := uint64(0)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			kb, _ := strconv.ParseUint(f[1], 10, 44)
			most = kb << 10
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := read(file)
		if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 { // not "max"
			most = min(most, n)
		}
	}
	return most
}
