// Package gradle reads Gradle builds without Gradle: [Read] makes the modules of a build.
//
// Build scripts are programs; they are read by pattern (the declarative forms of the Groovy and the
// Kotlin DSL). Class paths are therefore never marked complete; package instrument/buildtool asks
// Gradle itself once the user trusts the workspace.
package gradle
