package discovery

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testfiles"
)

// Dependencies that stand in maps of a script are found; of what no script says as text it is said
// that it lacks.
func TestGradleMaps(t *testing.T) {
	opt := testOptions(t)
	gradleCache(t, opt.Home, gradlePoms)
	dir := testfiles.Files{
		"settings.gradle": "include 'core'\n",
		"build.gradle": "ext.libraries = [\n    one: 'g:a:1', // the first\n" +
			"    'two': \"g:lib:$v\",\n part: 'g:c:' + v]\n" +
			"ext { v = '3'; cat = 'g:none:1'; more = [three: 'g:c:1'] }\nsubprojects { apply plugin: 'java' }\n",
		"gradle.properties": "v=3\n", "gradle/libs.versions.toml": "[libraries]\ncat = 'g:c:1'\n",
		"core/build.gradle": "dependencies {\n implementation libraries.one\n implementation libraries['two']\n" +
			" testImplementation rootProject.ext.more.three\n testImplementation libraries.none\n" +
			" testImplementation libraries.part\n" +
			" testImplementation libs.cat\n compileOnly gradleApi()\n testImplementation sourceSets.main.output\n" +
			" testImplementation project.sourceSets.main.output, configurations.compileOnly\n}\n",
		"core/src/main/java/A.java": "",
	}.In(t, t.TempDir())
	m := openModule(t, opt, dir, ":core")
	equal(t, "class path", names(m.ClassPath), "a-1.jar b-1.jar lib-3.jar")
	equal(t, "test class path", names(m.TestClassPath), "a-1.jar b-2.jar lib-3.jar c-1.jar")
	if s := strings.Join(m.Missing, "|"); !strings.HasPrefix(s, "the dependency libraries.none, whose value the "+
		"scripts do not say as text, is known to Gradle only|") || strings.Contains(s, "gradleApi") ||
		strings.Contains(s, "sourceSets") || strings.Contains(s, "g:none") || strings.Contains(s, "configurations") ||
		!strings.Contains(s, "the dependency libraries.part,") {
		t.Errorf("missing %s", s)
	}
}

// Patterns of sources count only where a script says them as text: a part of a computed one would
// leave out, or take, what the build does not.
func TestGradlePatternsOfSources(t *testing.T) {
	opt := testOptions(t)
	for script, want := range map[string]string{
		"sourceSets.main.java { exclude 'q/A.java', \"q/$v.java\" }":                           "p/A p/B q/A q/B",
		"ext.v = 'A'\nsourceSets.main.java { exclude \"q/$v.java\" }":                          "p/A p/B q/B",
		"sourceSets.main.java.excludes = ['p/A.java', 'q/']":                                   "p/B",
		"sourceSets.main.java { exclude 'p/' + name }":                                         "p/A p/B q/A q/B",
		"sourceSets.main.java { exclude { it.name == 'A.java' } }":                             "p/A p/B q/A q/B",
		"sourceSets.main.java { include 'p/A.java'; include 'q/' + name; include 'q/A.java' }": "p/A p/B q/A q/B",
		"sourceSets.main.java { include('p/A.java', 'q/') }":                                   "p/A q/A q/B",
		"sourceSets { main { resources { exclude 'p/A.java' } } }":                             "p/A p/B q/A q/B",
	} {
		dir := testfiles.Files{"settings.gradle": "rootProject.name = 'x'",
			"build.gradle": "apply plugin: 'java'\n" + script, "src/main/java/p/A.java": "",
			"src/main/java/q/A.java": ""}.In(t, t.TempDir())
		m := open(t, opt, dir).Modules[0]
		var taken []string
		for _, f := range []string{"p/A", "p/B", "q/A", "q/B"} {
			if root := m.MainSources[0]; m.Taken.Takes(root, filepath.Join(root, f+".java")) {
				taken = append(taken, f)
			}
		}
		equal(t, script, strings.Join(taken, " "), want)
	}
}
