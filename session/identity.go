package session

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"catchlens/analysis/workspace"
)

// This file names workspaces in the cache, alike on all machines.

// workspaceKey names a workspace in the cache: by what it is where that can be told, so
// that results go with a cache folder to other folders and machines, else by where it stands.
func workspaceKey(roots []string) string {
	var all []string
	for _, r := range roots {
		all = append(all, identity(r))
	}
	name := filepath.Base(strings.TrimSuffix(all[0], " ."))
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, name)
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return clean + "-" + hex.EncodeToString(sum[:6])
}

// identity is the repository that a folder was cloned from, with its place in it; else
// the Maven coordinates of the folder; else its path.
func identity(root string) string {
	for top := root; ; top = filepath.Dir(top) {
		if config, ok := gitConfig(top); ok {
			if url := originOf(config); url != "" {
				rel, _ := filepath.Rel(top, root)
				return "git " + url + " " + filepath.ToSlash(rel)
			}
			break
		}
		if top == filepath.Dir(top) {
			break
		}
	}
	if c := workspace.Coordinates(filepath.Join(root, "pom.xml")); c != "" {
		return "maven " + c
	}
	return root
}

// gitConfig is the configuration file of the repository whose work tree a folder is.
func gitConfig(top string) (file string, ok bool) {
	dir := filepath.Join(top, ".git")
	info, err := os.Stat(dir)
	if err != nil {
		return "", false
	}
	if !info.IsDir() { // another work tree of a repository, or a submodule: "gitdir: PATH"
		text, err := workspace.ReadText(dir)
		path, found := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if err != nil || !found {
			return "", false
		}
		dir = absolute(top, path)
		if common, err := workspace.ReadText(filepath.Join(dir, "commondir")); err == nil {
			dir = absolute(dir, strings.TrimSpace(string(common)))
		}
	}
	return filepath.Join(dir, "config"), true
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// originOf is the address of the remote called origin, as host and path: without what
// differs between those who clone it. "": there is none, or it is a folder.
func originOf(config string) string {
	text, err := workspace.ReadText(config)
	if err != nil {
		return ""
	}
	inOrigin := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inOrigin = line == `[remote "origin"]`
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if inOrigin && strings.TrimSpace(key) == "url" {
			return address(strings.TrimSpace(value))
		}
	}
	return ""
}

// address is host and path of "https://user@host/path.git", "ssh://git@host/path" or "git@host:path".
func address(url string) string {
	_, rest, scheme := strings.Cut(url, "://")
	if strings.HasPrefix(url, "file://") {
		return ""
	}
	if !scheme {
		host, path, ok := strings.Cut(url, ":")
		if !ok || strings.ContainsAny(host, `/\`) || len(host) == 1 { // a folder, with a drive or without
			return ""
		}
		rest = host + "/" + path
	}
	if host, path, _ := strings.Cut(rest, "/"); strings.Contains(host, "@") {
		rest = host[strings.LastIndexByte(host, '@')+1:] + "/" + path
	}
	return strings.TrimSuffix(strings.TrimSuffix(rest, "/"), ".git")
}
