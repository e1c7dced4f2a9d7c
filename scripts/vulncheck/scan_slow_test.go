//go:build slow

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// advisory is about what package facts calls.
const advisory = `{"schema_version":"1.3.1","id":"GO-2000-0001","modified":"2000-01-01T00:00:00Z",
"published":"2000-01-01T00:00:00Z","details":"made up","affected":[{"package":{"name":"github.com/edsrzf/mmap-go",
"ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],"ecosystem_specific":{"imports":[
{"path":"github.com/edsrzf/mmap-go","symbols":["Map","MapRegion"]}]}}]}`

// A vulnerability that the code calls is found in a folder of OSV files.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "GO-2000-0001.json"), []byte(advisory), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := scan(t.Context(), dir, "github.com/catchlens/catchlens/analysis/facts")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	const want = "GO-2000-0001: github.com/edsrzf/mmap-go.Map"
	if err := judge(&b, found, nil); err == nil || !strings.Contains(b.String(), want) {
		t.Errorf("%v: %s%+v", err, &b, found)
	}
}
