// Package maven reads Maven projects without Maven: [Read] makes the modules of a project and of
// the projects below it.
//
// The effective model is built as Maven 3 does (parents, profiles, properties, dependency
// management with imported BOMs, plug-in management), and dependencies are mediated as Maven 3
// does (nearest declaration wins, the widest scope wins, exclusions, optional, relocation, managed
// versions and scopes) from the poms in the local repository. For a project that was built once,
// the class path equals that of "mvn dependency:build-classpath". What the local repository lacks
// stands in the module's Missing.
//
// Known gaps: profiles that are chosen on the command line only (unless .mvn/maven.config has
// them), build extensions, plug-ins that change the model while they run (other than build-
// helper's added sources), remote repositories.
//
// Other build tools take poms from it by [NewPoms].
package maven
