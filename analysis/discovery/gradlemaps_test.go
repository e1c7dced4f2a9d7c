package discovery

import (
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
		"build.gradle": "ext.libraries = [\n    one: 'g:a:1', // the first\n    'two': \"g:lib:$v\",\n]\n" +
			"ext { v = '3'; more = [three: 'g:c:1'] }\nsubprojects { apply plugin: 'java' }\n",
		"gradle.properties": "v=3\n",
		"core/build.gradle": "dependencies {\n implementation libraries.one\n implementation libraries['two']\n" +
			" testImplementation rootProject.ext.more.three\n testImplementation libraries.none\n" +
			" compileOnly gradleApi()\n testImplementation sourceSets.main.output\n}\n",
		"core/src/main/java/A.java": "",
	}.In(t, t.TempDir())
	m := openModule(t, opt, dir, ":core")
	equal(t, "class path", names(m.ClassPath), "a-1.jar b-1.jar lib-3.jar")
	equal(t, "test class path", names(m.TestClassPath), "a-1.jar b-2.jar lib-3.jar c-1.jar")
	if s := strings.Join(m.Missing, "|"); !strings.HasPrefix(s, "the dependency libraries.none, whose value the "+
		"scripts do not say as text, is known to Gradle only|") || strings.Contains(s, "gradleApi") ||
		strings.Contains(s, "sourceSets") {
		t.Errorf("missing %s", s)
	}
}
