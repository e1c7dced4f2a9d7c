package worker

// This file makes the command line of a test JVM.

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/agent"
)

func javaTool(home string) string {
	name := "java"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(home, "bin", name)
}

func (j *JVM) workingDir() string {
	s := j.spec
	if s.WorkingDir == "" || j.dirs.copy == nil {
		return j.dirs.work
	}
	dir := s.WorkingDir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.ModuleDir, dir)
	}
	to := j.dirs.copy.Map(dir)
	if rel, err := filepath.Rel(j.dirs.root, to); err == nil && filepath.IsLocal(rel) {
		return to
	}
	return j.dirs.work
}

// arguments are those of the java command. jar is the agent's, in the cache: it is an error if Java
// cannot be told its path, as all behind the first '=' is the agent's options, and all behind a ':'
// (';' on Windows) the next entry of a class path.
func (j *JVM) arguments(jar string) ([]string, error) {
	s := j.spec
	if strings.ContainsAny(jar, "="+string(os.PathListSeparator)) {
		return nil, fmt.Errorf("cannot load the agent from %s, as Java splits paths at '=' and %q: "+
			"choose another cache folder (--cache, or the setting cacheDir)", jar, os.PathListSeparator)
	}
	keep, dropped := FilterJVMArgs(s.JVMArgs)
	j.Dropped = dropped
	args := []string{agentOption(s, keep) + jar}
	for _, a := range append(withRoom(keep), attachedAgents(keep, s.ClassPath)...) {
		args = append(args, j.mapValue(a))
	}
	if s.MaxHeap > 0 {
		args = append(args, fmt.Sprintf("-Xmx%dk", s.MaxHeap>>10))
	}
	if s.EnableAssertions {
		args = append(args, "-ea")
	}
	args = append(args, "-XX:-OmitStackTraceInFastThrow", "-XX:-UsePerfData",
		"-XX:ErrorFile="+filepath.Join(j.dirs.root, "hs_err.log"), "-XX:-CreateCoredumpOnCrash")
	for _, k := range slices.Sorted(maps.Keys(s.SystemProperties)) {
		args = append(args, "-D"+k+"="+j.mapValue(s.SystemProperties[k]))
	}
	args = append(args, "-Djava.io.tmpdir="+j.dirs.tmp, "-Duser.home="+j.dirs.home)
	args = append(args, j.moduleArgs()...)
	cp := strings.Join(j.classPath(), string(os.PathListSeparator))
	feature, err := agent.Feature(s.JDK)
	if err != nil {
		return nil, err
	}
	if feature < 9 {
		// JDK 9 and later know it
		args = slices.DeleteFunc(args, func(a string) bool { return a == "-XX:-CreateCoredumpOnCrash" })
	}
	if len(cp) > 30000 && feature >= 9 { // longer than Windows' command lines, and near Linux' limit per argument
		file := filepath.Join(j.dirs.root, "classpath.args")
		os.Remove(file) // a link, say, that tests have put there
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(cp)
		if err := os.WriteFile(file, []byte("-cp\n\""+quoted+"\"\n"), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "@"+file)
	} else {
		args = append(args, "-cp", cp)
	}
	return append(args, "catchlens.rt.run.Main"), nil
}

// classPath is that of the spec but for what belongs to the module, mapped.
func (j *JVM) classPath() []string {
	m := j.spec.Module
	if m == nil {
		return j.mapped(j.spec.ClassPath)
	}
	return j.mapped(slices.DeleteFunc(slices.Clone(j.spec.ClassPath), func(p string) bool {
		return slices.Contains(m.Path, p) ||
			slices.ContainsFunc(m.Patches, func(x Patch) bool { return slices.Contains(x.Entries, p) })
	}))
}

// mapped are paths with what the working copy has in it: tests find the same files by resources and
// by relative paths, and may write beside them.
func (j *JVM) mapped(paths []string) []string {
	if j.dirs.copy == nil {
		return paths
	}
	mapped := make([]string, len(paths))
	for i, p := range paths {
		mapped[i] = j.dirs.copy.Map(p)
	}
	return mapped
}

// moduleArgs are the arguments for tests in a Java module. The agent is in the unnamed module of
// the boot loader, which the JVM lets each module read whose classes an agent rewrites.
func (j *JVM) moduleArgs() []string {
	m := j.spec.Module
	if m == nil {
		return nil
	}
	args := []string{"--module-path", strings.Join(j.mapped(m.Path), string(os.PathListSeparator)), "--add-modules",
		m.Name}
	for _, p := range m.Patches {
		args = append(args, "--patch-module",
			p.Module+"="+strings.Join(j.mapped(p.Entries), string(os.PathListSeparator)))
	}
	if len(m.Packages) == 0 {
		for _, p := range []string{"util", "logging"} { // the launcher of the JUnit Platform is on the class path
			args = append(args, "--add-opens",
				"org.junit.platform.commons/org.junit.platform.commons."+p+"=ALL-UNNAMED")
		}
		return args
	}
	args = append(args, "--add-reads", m.Name+"=ALL-UNNAMED")
	for _, p := range m.Packages {
		args = append(args, "--add-opens", m.Name+"/"+p+"=ALL-UNNAMED")
	}
	return args
}

// mapValue turns paths into the module's folder, in a property or argument,
// into paths into the working copy.
func (j *JVM) mapValue(v string) string {
	c := j.dirs.copy
	if c == nil || !strings.Contains(v, c.From) || strings.HasPrefix(v, "-javaagent:") ||
		strings.HasPrefix(v, "-agentpath:") {
		return v
	}
	prefix, value := "", v
	if i := strings.IndexByte(v, '='); strings.HasPrefix(v, "-D") && i > 0 {
		prefix, value = v[:i+1], v[i+1:]
	}
	parts := strings.Split(value, string(os.PathListSeparator))
	for i, p := range parts {
		parts[i] = c.Map(p)
	}
	return prefix + strings.Join(parts, string(os.PathListSeparator))
}

// environment is this process's own with the module's on top and private
// folders for home and temporary files.
func (j *JVM) environment() []string {
	env := map[string]string{}
	for _, kv := range os.Environ() {
		if k, v, ok := strings.Cut(kv, "="); ok && !strings.HasPrefix(k, "CATCHLENS_") {
			env[k] = v
		}
	}
	for k, v := range j.spec.Environment {
		env[k] = j.mapValue(v)
	}
	for _, k := range []string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"} {
		if v, ok := env[k]; ok {
			if env[k] = filterOptionsVariable(v); env[k] == "" {
				delete(env, k)
			}
		}
	}
	for _, k := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
		"XDG_RUNTIME_DIR"} {
		delete(env, k) // their defaults are below the home
	}
	env["HOME"], env["USERPROFILE"] = j.dirs.home, j.dirs.home
	env["TMPDIR"], env["TMP"], env["TEMP"] = j.dirs.tmp, j.dirs.tmp, j.dirs.tmp
	env["JAVA_HOME"] = j.spec.JDK
	list := make([]string, 0, len(env))
	for _, k := range slices.Sorted(maps.Keys(env)) {
		list = append(list, k+"="+env[k])
	}
	return list
}
