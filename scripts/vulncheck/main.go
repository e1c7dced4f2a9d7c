// Command vulncheck says which known vulnerabilities the program calls, and fails if there is one.
// It asks no other host than the Go module proxy: govulncheck comes from there, and so does the
// database, the module golang.org/x/vulndb, of which the newest version counts that can be had.
//
// What is in accepted is told and fails nothing.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

const (
	tool     = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
	database = "golang.org/x/vulndb"
)

// accepted are vulnerabilities that the program calls and that do not concern it, by their IDs,
// with the reason.
var accepted = map[string]string{}

// finding is a vulnerability in what the program contains, as govulncheck tells it.
type finding struct {
	OSV   string `json:"osv"`
	Fixed string `json:"fixed_version"`
	// Trace begins with what is vulnerable: a module, a package, or a function, if it is called,
	// and who calls it.
	Trace []struct{ Module, Version, Package, Function, Receiver string }
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := databaseFolder(ctx)
	if err != nil {
		return err
	}
	found, err := scan(ctx, dir, "./cmd/catchlens")
	if err != nil {
		return err
	}
	fmt.Printf("database: %s\n", filepath.Base(filepath.Dir(filepath.Dir(dir))))
	return judge(os.Stdout, found, accepted)
}

// judge tells of the vulnerabilities that are called. The error says that there is one that nobody
// has accepted.
func judge(w io.Writer, found []finding, accepted map[string]string) error {
	called := map[string]bool{}
	bad := 0
	for _, f := range found {
		if len(f.Trace) == 0 || f.Trace[0].Function == "" || called[f.OSV] {
			continue
		}
		called[f.OSV] = true
		at, by := f.Trace[0], f.Trace[len(f.Trace)-1]
		name := at.Function
		if at.Receiver != "" {
			name = strings.TrimPrefix(at.Receiver, "*") + "." + name
		}
		state := "fixed in " + f.Fixed
		if f.Fixed == "" {
			state = "not fixed yet"
		}
		if reason, ok := accepted[f.OSV]; ok {
			state += "; accepted: " + reason
		} else {
			bad++
		}
		fmt.Fprintf(w, "%s: %s.%s of %s %s, called from %s.%s: %s\n", f.OSV, at.Package, name, at.Module, at.Version,
			by.Package, by.Function, state)
	}
	for id := range accepted {
		if !called[id] {
			fmt.Fprintf(w, "%s is accepted and not called any more\n", id)
		}
	}
	if bad > 0 {
		return fmt.Errorf("the program calls what is vulnerable (%d): take versions in which it is fixed", bad)
	}
	fmt.Fprintf(w, "%d known vulnerabilities are called\n", len(called))
	return nil
}

// scan asks govulncheck for the vulnerabilities of a package, by a folder of OSV files.
func scan(ctx context.Context, dir, pkg string) ([]finding, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	address := "file://" + filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") { // C:\...
		address = "file:///" + filepath.ToSlash(abs)
	}
	cmd := exec.CommandContext(ctx, "go", "run", tool, "-format", "json", "-db", address, pkg)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("govulncheck: %w: %s", err, stderr.Bytes())
	}
	return findings(out)
}

// findings reads what govulncheck writes: objects, of which each has one field.
func findings(text []byte) (found []finding, err error) {
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var message struct{ Finding *finding }
		if err := dec.Decode(&message); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("govulncheck: %w", err)
		}
		if message.Finding != nil {
			found = append(found, *message.Finding)
		}
	}
}

// databaseFolder is the folder with the OSV files of the newest database that can be had: the
// proxy's, else that of the module cache.
func databaseFolder(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", database+"@latest")
	cmd.Dir = os.TempDir() // outside this module, whose go.mod it may not change
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if err == nil {
		if err = json.Unmarshal(out, &got); err == nil && got.Dir != "" {
			return filepath.Join(got.Dir, "data", "osv"), nil
		}
	}
	cache, cerr := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if cerr != nil {
		return "", cerr
	}
	kept, cerr := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), filepath.FromSlash(database)+"@*"))
	if cerr != nil || len(kept) == 0 {
		return "", fmt.Errorf("there is no database: %s@latest: %v %s", database, err, out)
	}
	newest := slices.Max(kept) // the versions begin with their dates
	fmt.Fprintf(os.Stderr, "vulncheck: no newer database can be had (%v): %s\n", err, filepath.Base(newest))
	return filepath.Join(newest, "data", "osv"), nil
}
