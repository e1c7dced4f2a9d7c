package buildtool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const noDownload = "#!/bin/sh\necho Downloading https://example.org/gradle-8.9-bin.zip\n" +
	"echo 'Exception in thread \"main\" java.net.UnknownHostException: example.org' >&2\n" +
	"echo '\tat java.base/sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:567)' >&2\nexit 1\n"

// A wrapper that cannot get its Gradle gives way to gradle on PATH; where that is
// no help either, one sentence names both causes. What Gradle itself says went wrong
// is the cause, and nothing else is tried.
func TestGradleWrapperFallsBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins for Gradle are shell scripts")
	}
	tree := map[string]string{"settings.gradle": "include 'core', 'app', 'bad'", "core/src/main/java/C.java": "",
		"app/src/main/java/A.java": "", "bad/src/main/java/B.java": "",
		"gradlew": noDownload}
	dir := writeTree(t, t.TempDir(), tree)
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ws, opt := openWorkspace(t, dir)

	writeTree(t, bin, map[string]string{"gradle": fmt.Sprintf(fakeGradle, dir)})
	if err := os.Chmod(filepath.Join(bin, "gradle"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := Resolve(context.Background(), ws, opt)
	if err == nil || !strings.Contains(err.Error(), "g:z:9") || strings.Contains(err.Error(), "UnknownHost") ||
		!got.Module(":app").ClassPathComplete {
		t.Errorf("gradle on PATH was not asked: %v", err)
	}

	const failure = "#!/bin/sh\nprintf 'FAILURE: Build failed with an exception.\\n\\n* What went wrong:\\nA problem " +
		"occurred in s.gradle.\\n> no such method\\n\\n* Try:\\n> Run with --stacktrace\\n'\nexit 1\n"
	opt.CacheDir = t.TempDir()
	writeTree(t, bin, map[string]string{"gradle": failure})
	_, err = Resolve(context.Background(), ws, opt)
	want := "gradlew could not get the Gradle that it names (java.net.UnknownHostException: example.org), and " +
		filepath.Join(bin, "gradle") +
		" failed: A problem occurred in s.gradle.\n> no such method"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}

	writeTree(t, dir, map[string]string{"gradlew": failure})
	if err := os.Remove(filepath.Join(bin, "gradle")); err != nil {
		t.Fatal(err)
	}
	_, err = Resolve(context.Background(), ws, opt)
	if err == nil || !strings.HasSuffix(err.Error(), "A problem occurred in s.gradle.\n> no such method") ||
		strings.Contains(err.Error(), "could not get") {
		t.Errorf("what Gradle says: %v", err)
	}

	writeTree(t, dir, map[string]string{"gradlew": noDownload})
	t.Setenv("PATH", bin)
	if _, err = Resolve(context.Background(), ws, opt); err == nil ||
		!strings.HasSuffix(err.Error(), "and there is no gradle on PATH") {
		t.Errorf("without gradle: %v", err)
	}
}
