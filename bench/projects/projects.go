// Package projects tells where fetch.sh has laid out the real projects that
// benchmarks and tests run on.
package projects

import (
	"os"
	"path/filepath"
)

// Root is the folder of the projects: CATCHLENS_BENCH_DIR, else catchlens-bench in
// the user's cache folder. It fails if the user has no cache folder.
func Root() (string, error) {
	if dir := os.Getenv("CATCHLENS_BENCH_DIR"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "catchlens-bench"), nil
}

// Complete tells whether a project's folder is laid out to the end.
func Complete(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".complete"))
	return err == nil
}
