package discovery

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// Where the build runs the tests in a Java module: Surefire with modules from 2.21.0 on, where main
// code or tests have a module-info.java, Gradle where tests have.
func TestModulePath(t *testing.T) {
	main, tests := "src/main/java/module-info.java", "src/test/java/module-info.java"
	maven := func(config string) testfiles.Files {
		return testfiles.Files{"pom.xml": `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version><build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>` + config +
			`</plugin></plugins></build></project>`}
	}
	without := func(id string) testfiles.Files { // an execution of the compiler leaves it out
		if id == "" {
			id = "<id>default-compile</id>"
		}
		return testfiles.Files{"pom.xml": `<project><groupId>x</groupId><artifactId>p</artifactId><version>1</version><build><plugins>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><executions><execution>` + id + `<goals><goal>compile</goal></goals>
<configuration><excludes><exclude>module-info.java</exclude></excludes></configuration></execution></executions></plugin></plugins></build></project>`}
	}
	gradle := func(text string) testfiles.Files {
		return testfiles.Files{"settings.gradle": "rootProject.name = 'p'\n",
			"build.gradle": "apply plugin: 'java'\n" + text}
	}
	const newest = "org/apache/maven/plugins/maven-surefire-plugin/"
	for name, c := range map[string]struct {
		build   testfiles.Files
		sources []string
		cached  []string // versions of Surefire in the local repository
		want    workspace.ModulePath
	}{
		"module":           {maven("<version>3.2.5</version>"), []string{main}, nil, workspace.MainDescribed},
		"tests alone":      {maven("<version>2.21.0</version>"), []string{tests}, nil, workspace.TestsDescribed},
		"added to the jar": {without(""), []string{main}, nil, ""},
		"added, tests":     {without(""), []string{main, tests}, nil, workspace.TestsDescribed},
		"compiled later":   {without("<id>base</id>"), []string{main}, nil, workspace.MainDescribed},
		"no module":        {maven("<version>3.2.5</version>"), nil, nil, ""},
		"old":              {maven("<version>2.20.1</version>"), []string{main}, nil, ""},
		"not wanted": {maven("<version>3.2.5</version><configuration><useModulePath>false</useModulePath>" +
			"</configuration>"), []string{main}, nil, ""},
		"version of Maven":     {maven(""), []string{main}, []string{"2.12.4", "3.5.2"}, workspace.MainDescribed},
		"version of old Maven": {maven(""), []string{main}, []string{"2.12.4"}, ""},
		"settings, class path": {testfiles.Files{"catchlens.toml": "[test]\nmodulePath = false\n",
			"pom.xml": maven("<version>3.2.5</version>")["pom.xml"]}, []string{main}, nil, ""},
		"settings, module": {testfiles.Files{"catchlens.toml": "[test]\nmodulePath = true\n",
			"pom.xml": maven("<version>2.1</version>")["pom.xml"]}, []string{main}, nil, workspace.MainDescribed},
		"Gradle, main":       {gradle(""), []string{main}, nil, ""},
		"Gradle, tests":      {gradle(""), []string{main, tests}, nil, workspace.TestsDescribed},
		"Gradle, not wanted": {gradle("java { modularity.inferModulePath = false }\n"), []string{tests}, nil, ""},
		"Gradle, not wanted set": {gradle("test { modularity.inferModulePath.set(false) }\n"), []string{tests}, nil,
			""},
	} {
		opt := testOptions(t)
		build := testfiles.Files{"src/main/java/p/A.java": "", "src/test/java/p/T.java": ""}
		for path, text := range c.build {
			build[path] = text
		}
		for _, s := range c.sources {
			build[s] = ""
		}
		repo := testfiles.Files{}
		for _, v := range c.cached {
			repo[newest+v+"/x.pom"] = ""
		}
		repo.In(t, filepath.Join(opt.Home, ".m2", "repository"))
		if got := openModule(t, opt, build.In(t, t.TempDir()), "p").Test.ModulePath; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
