package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a Go module that the program contains.
type module struct{ Path, Version, Dir string }

// linkedModules lists the modules that the program contains on any platform, by path.
func linkedModules(ctx context.Context, root string) ([]module, error) {
	found := map[module]bool{}
	for _, t := range targets {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "./cmd/catchlens")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				Module *struct {
					module
					Main bool
				}
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && !p.Module.Main {
				found[p.Module.module] = true
			}
		}
	}
	var list []module
	for m := range found {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// licenceFile is what files with licences, and with what must be passed on with them, are called.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(txt|md))?$`)

// notices are the texts of the licences of all modules that the program contains, and of Go itself.
// It is an error if one has none.
func notices(ctx context.Context, root string) (string, error) {
	modules, err := linkedModules(ctx, root)
	if err != nil {
		return "", err
	}
	goroot, err := output(ctx, root, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	version, err := output(ctx, root, "go", "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	modules = append([]module{{"Go's standard library", version, goroot}}, modules...)
	parts := []string{"The program catchlens contains code of others, under these licences.\n"}
	for _, m := range modules {
		text, err := licences(m)
		if err != nil {
			return "", err
		}
		parts = append(parts, m.Path+" "+m.Version+"\n\n"+text)
	}
	return strings.Join(parts, "\n"+strings.Repeat("-", 72)+"\n\n"), nil
}

// licences are the texts that a module has in its folder.
func licences(m module) (string, error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
	}
	var texts []string
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) || e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))+"\n")
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("%s %s has no licence that could be passed on", m.Path, m.Version)
	}
	return strings.Join(texts, "\n"), nil
}
