package snapshot

import (
	"github.com/catchlens/catchlens/analysis/datareach"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/defect"
)

// Snapshot is one immutable state of a workspace with every static result for
// it. Nothing in it changes after Build returned; it may be read from any
// number of goroutines.
type Snapshot struct {
	// Number grows with each snapshot of a session.
	Number int64
	// Workspace is what was found on disk.
	Workspace *workspace.Workspace
	// Config is the configuration that the results were computed with.
	Config Config
	// JDKVersion is the full version of the JDK analysed, such as 17.0.15; ""
	// if none was found.
	JDKVersion string
	JDKHome    string // its folder; "" where there is none
	// Files are the Java sources of the workspace, ordered by path; ByPath finds one by its path
	// relative to the workspace root with '/' separators.
	Files  []*File
	ByPath map[string]*File
	// Catches are all catches, ordered by file and position; ByID finds one.
	Catches []*Catch
	ByID    map[string]*Catch
	// LeftTests are classes with tests that are not among the classes of the workspace, as others
	// of their names are: each with facts of its own. No analysis sees them, and no run runs them.
	LeftTests []*LeftTest
	// Problems are input problems: each names a file and says the way out.
	Problems []Problem
	// Stats are figures for the log and the benchmarks.
	Stats Stats
	// Unedited: the code is that of the snapshot whose links were refined last. Links that are
	// withheld are so because something else is known, not because of an edit.
	Unedited bool
	// UnknownLoad says what the workspace's code loads by names of which nothing is known: what
	// Class.forName in Plugins.load loads; "" where there is none. What such a class
	// does, and what it calls, no analysis sees before a run has.
	UnknownLoad string

	// Program is what package build put in, and nobody else takes out.
	Program *Program
	saving  defect.Group // of what the build computed of classes
}

// Config selects an analysis (REPORT.md, configuration).
type Config struct {
	CallGraph string // one of CallGraphs: what the links are from
	// the settings say Auto; Build takes CallGraph as it is, but the first of CallGraphs where
	// there is no catch
	Auto        bool
	Studied     exceptions.Studied // which throw sites count
	EntryPoints string             // tests | mains | public
}

// Stats are sizes and times of one build; times are in seconds.
type Stats struct {
	Classes, Methods, Edges, Links                   int
	ScanSeconds, GraphSeconds, FlowSeconds, TotalSec float64
	// Reuse says what was taken over of the snapshot before.
	Reuse Reuse
	// ReachSeconds is the part of FlowSeconds that DataReach took, and Reach its
	// figures.
	ReachSeconds float64
	Reach        datareach.Stats
}

// Reuse is what a snapshot has of the one before.
type Reuse string

// What is taken over, beside sources and classes that have not changed.
const (
	ReuseNothing Reuse = ""
	ReuseGraph   Reuse = "call graph" // as it is, or made of the one before
	ReuseAll     Reuse = "all"        // the flow of exceptions, too
)

// Problem is a row of the report's problems.
type Problem struct {
	Severity string // error | warning | info
	Message  string
	File     string // path, "" if none
	Line     int    // 1-based, 0 if unknown
}

// File is one Java source with what stands in it.
type File struct {
	Path    string // relative to the workspace root, '/' separators
	Module  string
	InTests bool
	Text    []byte // UTF-8, as on disk when the snapshot was made
	Source  *javasource.File
	Catches []*Catch // in source order
	// Stale: the class files are older than this text, or the text does not
	// compile; results are those of the last good class files.
	Stale bool
	// Classes are those that were compiled from it, as far as they are there.
	Classes []*facts.Class
}

// Catch is one catch clause of the source.
type Catch struct {
	ID           string
	File         *File
	Line, Column int // 1-based, of the keyword; Column counts UTF-16 units
	Source       *javasource.Catch
	Class        string   // source form (p.C), class that holds the member
	Method       string   // name and descriptor of the method with the first handler
	Types        []string // source form
	Handlers     []exceptions.HandlerRef
	InTests      bool
	Compiled     bool // there is a class file of the type that the catch stands in
	// where Compiled is false: the module whose class of the same name is analysed instead, or its
	// tests ("the tests of m")
	HiddenBy string
	Links    []*Link // ordered: own throws first, then by exception, site
	// Withheld are links that the call graph predicts and that are not shown, since a
	// refined analysis ruled them out before an edit (Options.Withhold): until it says
	// otherwise. Empty where nothing is refined.
	Withheld []*Link
	// Unreached tells that no call from the entry points leads to the method that the catch stands
	// in, by the call graph, or by the refined one that ruled its links out before an edit: then
	// nothing is predicted, which does not mean that nothing can arrive. False where there are no
	// handlers.
	Unreached bool
	// Discarded is how many throw sites the call graph leads here from which
	// DataReach has shown that no exception comes; Snapshot.Discards says why.
	Discarded int

	discards discards
	clause   asked
	causes   causes // see Snapshot.Causes
}

// Link is one e-c link of a catch.
type Link struct {
	ID    string
	Catch *Catch
	Site  *Site // one for all links from it, as Root; not to be changed
	Root  *Site
	// ID of a link of the workspace whose exception this one wraps, the first by order; "" if there
	// is none
	Cause     string
	Exception string // source form
	Own       bool   // the throw site is in workspace code

	chains chains // see Chain and Snapshot.CountChains
}

// Wrapped is an exception that arrives as the cause of another.
type Wrapped struct {
	Exception string // source form
	Site      Site
	Own       bool // the throw site is in workspace code
}

// Site is a throw site (DESIGN, vocabulary).
type Site struct {
	Class   string // source form
	Method  string // name and descriptor
	Ordinal int
	Line    int
	Kind    string // native | explicit | implicit | declared
	Fault   string // the user's own fault that a declared site is; Ordinal is -1 then
	// File and FileLine locate it in the workspace or in attached sources; ""
	// where there is no source.
	File string
}

// Frame is one step of a call chain.
type Frame struct {
	Class, Method string // source form; name and descriptor
	Line          int    // line of the call, in the last frame of the throw
	File          string // path of the source, "" where there is none
}

// Landing tells where an exception of a throw or call goes.
type Landing struct {
	Exception string // source form
	Link      *Link  // nil: on some way it leaves an entry point uncaught
}

// MethodRef names a method of the workspace: internal class name, and name and
// descriptor.
type MethodRef struct{ Class, Method string }

// GeneratedClass is a class that a run loaded and no class path has.
type GeneratedClass struct {
	Name string // internal
	Data []byte // class file
}

// Class is a class of the workspace.
type Class struct {
	Name    string // internal
	Module  string
	InTests bool
	Facts   *facts.Class
	File    *File // its source, nil if that was not found
}
