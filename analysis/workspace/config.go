package workspace

// This file reads catchlens.toml and writes judgements into it.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/userfile"
)

// ConfigName is the name of the settings file in a workspace root.
const ConfigName = "catchlens.toml"

// maxWrongTypes bounds how many values of a wrong type are left out; a file with
// more of them counts for nothing.
const maxWrongTypes = 50

// maxConfigSize bounds catchlens.toml in bytes.
const maxConfigSize = 4 << 20

// Config is what a catchlens.toml says. The top-level module settings count
// for every module, those of [module."name"] win over them. The zero Config
// says nothing.
type Config struct {
	File string `toml:"-"` // where it was read; where AppendInfeasible would write
	ModuleConfig
	// "maven", "gradle" or "plain": which description to believe where there are several
	Build string `toml:"build"`
	// further folders that hold modules, relative to the root
	Modules       []string                 `toml:"modules"`
	BuildCommands []string                 `toml:"buildCommands"` // shell commands that build the workspace; need trust
	Module        map[string]*ModuleConfig `toml:"module"`
	Infeasible    []Infeasible             `toml:"infeasible"`
	Accept        []Accept                 `toml:"accept"`
	Faults        []FaultConfig            `toml:"fault"`
	Studied       *StudiedConfig           `toml:"studied"`
	Campaign      *CampaignConfig          `toml:"campaign"`
	MoreHints     []string                 `toml:"moreHints"` // hints that are shown only when asked for: MoreHints
	// Components are those whose call chains a hover shows, each as packages or classes
	// (callchain.Matches); of several that name a class the first counts.
	Components []string `toml:"components"`

	// NeedsTrust lists the settings that name something to execute. They
	// have no effect on static analysis; who executes checks trust first.
	NeedsTrust []TrustItem `toml:"-"`
}

// ModuleConfig overrides what the build files say. A nil or empty field
// overrides nothing; an empty array that is written out ("classPath = []") is
// an empty list. Paths are relative to the module's folder (at the top level:
// to the workspace root, except for the folder lists, which are relative to
// each module); class path entries may end in "/*" (every jar of the folder).
type ModuleConfig struct {
	JDK            *string         `toml:"jdk"` // a folder, or a version such as "17"; needs trust
	Release        *int            `toml:"release"`
	Encoding       *string         `toml:"encoding"`
	Sources        []string        `toml:"sources"`
	TestSources    []string        `toml:"testSources"`
	Outputs        []string        `toml:"outputs"`
	TestOutputs    []string        `toml:"testOutputs"`
	Resources      []string        `toml:"resources"`
	TestResources  []string        `toml:"testResources"`
	ClassPath      []string        `toml:"classPath"`
	TestClassPath  []string        `toml:"testClassPath"`
	ExtraClassPath []string        `toml:"extraClassPath"` // appended to both class paths
	ProcessorPath  []string        `toml:"processorPath"`  // needs trust
	Processors     []string        `toml:"processors"`     // needs trust
	CompilerArgs   []string        `toml:"compilerArgs"`   // needs trust (-processor, -Xplugin, -J)
	Skip           *bool           `toml:"skip"`           // leave the module out
	Test           *TestConfig     `toml:"test"`
	ExcludeTests   []ExcludeConfig `toml:"excludeTests"`
}

// TestConfig overrides the test settings of the build.
type TestConfig struct {
	Framework          *string           `toml:"framework"` // junit3, junit4, junit-platform, testng
	Includes           []string          `toml:"includes"`
	Excludes           []string          `toml:"excludes"`
	Groups             []string          `toml:"groups"`
	ExcludedGroups     []string          `toml:"excludedGroups"`
	SystemProperties   map[string]string `toml:"systemProperties"`
	Environment        map[string]string `toml:"environment"` // needs trust
	WorkingDir         *string           `toml:"workingDir"`
	EnableAssertions   *bool             `toml:"enableAssertions"`
	JVMArgs            []string          `toml:"jvmArgs"` // needs trust
	PlatformParameters map[string]string `toml:"platformParameters"`
	Integration        *bool             `toml:"integration"` // run the build's integration tests, too
	// false: tests of a Java module run on the class path; true: in it
	ModulePath *bool `toml:"modulePath"`
}

// StudiedConfig overrides the default studied set.
type StudiedConfig struct {
	CallGraph   string   `toml:"callGraph"`
	Exceptions  string   `toml:"exceptions"`
	Sites       []string `toml:"sites"`
	EntryPoints string   `toml:"entryPoints"`
}

// CampaignConfig overrides how campaigns run.
type CampaignConfig struct {
	Isolation string `toml:"isolation"` // shared, loader or fork
	FineGrain int    `toml:"fineGrain"` // places inside a try where exceptions are thrown, at most; 0: none
	Reading   string `toml:"reading"`   // usage or paper
}

// Readings are the values of CampaignConfig.Reading.
var Readings = []string{"usage", "paper"}

// Isolations are the values of CampaignConfig.Isolation.
var Isolations = []string{"shared", "loader", "fork"}

// Builds are the values of Config.Build, Frameworks those of TestConfig.Framework.
var (
	Builds     = []string{string(Maven), string(Gradle), string(Plain)}
	Frameworks = []string{string(JUnit3), string(JUnit4), string(JUnitPlatform), string(TestNG)}
)

// ExcludeConfig names tests that are never run: by one of Test, Pattern and Tag.
type ExcludeConfig struct {
	Test    string `toml:"test"`
	Pattern string `toml:"pattern"`
	Tag     string `toml:"tag"`
	Reason  string `toml:"reason"`
	line    int
}

// Infeasible is a person's judgement that e-c links of one catch cannot happen: a link, or those of
// a failure.
type Infeasible struct {
	Catch      string   `toml:"catch"`      // the catch's ID
	Exception  string   `toml:"exception"`  // that arrives there, for people
	ThrowSites []string `toml:"throwSites"` // as snapshot.Site.Ref writes them
	Link       string   `toml:"link"`       // in the place of all these: the link's id in the JSON report
	Reason     string   `toml:"reason"`
	Note       string   `toml:"note"` // where it stands, for people
	Line       int      `toml:"-"`    // 1-based line of its [[infeasible]]
}

// says tells whether the judgement judges anything.
func (j Infeasible) says() bool { return j.Link != "" || j.Catch != "" && len(j.ThrowSites) > 0 }

// name is what problems call the judgement.
func (j Infeasible) name() string {
	if j.Link != "" {
		return j.Link
	}
	return j.Catch
}

// Same tells whether two judgements are of the same links.
func (j Infeasible) Same(other Infeasible) bool {
	return j.Link == other.Link && j.Catch == other.Catch && slices.Equal(j.ThrowSites, other.ThrowSites)
}

// What can be accepted: codes of diagnostics.
const (
	SourceDependent = "source-dependent-catch"
	NeverEntered    = "catch-never-entered"
	NoHandler       = "catch-without-handler"
)

// MoreHints are the codes of hints that are shown only when asked for.
var MoreHints = []string{"stretchable-catch", "not-purely-resilient"}

// Findings lists them.
var Findings = []string{SourceDependent, NeverEntered, NoHandler}

// Accept is a person's word that a finding is known and wanted.
type Accept struct {
	Catch   string `toml:"catch"`   // the catch's id in the JSON report
	Finding string `toml:"finding"` // diagnostic code; "" means every finding of that catch
	Reason  string `toml:"reason"`
	Note    string `toml:"note"`
	Line    int    `toml:"-"`
}

// FaultConfig is a fault of the user's own: an exception that a method throws.
type FaultConfig struct {
	Name      string `toml:"name"`      // what reports call it
	Method    string `toml:"method"`    // "com.acme.Client.send", perhaps with a descriptor
	Exception string `toml:"exception"` // source form; a nested class as p.Outer$Inner
	Message   string `toml:"message"`
	Line      int    `toml:"-"` // 1-based line of its [[fault]]
}

// TrustItem is a setting that names something to execute.
type TrustItem struct {
	Key   string // "test.jvmArgs", "module.core.jdk"
	Value string
	File  string
	Line  int
}

// LoadConfig reads dir/catchlens.toml. A missing file gives an empty Config;
// a file that cannot be read or parsed gives an empty Config and a problem;
// unknown keys, values of a wrong type and impossible values give a problem each,
// naming the line, and the rest counts.
func LoadConfig(dir string) (*Config, []Problem) {
	file := filepath.Join(dir, ConfigName)
	data, err := bounded.Read(file, maxConfigSize)
	if errors.Is(err, fs.ErrNotExist) {
		return &Config{File: file}, nil
	}
	if err != nil {
		return &Config{File: file}, []Problem{{Severity: Error, Message: "cannot read the settings: " +
			filetree.Reason(err),
			File: file}}
	}
	return ParseConfig(file, data)
}

// ParseConfig is LoadConfig for bytes at hand (an unsaved buffer); file is
// only named in problems.
func ParseConfig(file string, data []byte) (*Config, []Problem) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	cfg := &Config{File: file}
	var problems []Problem
	add := func(sev Severity, line int, format string, args ...any) {
		problems = append(problems, Problem{Severity: sev, Message: fmt.Sprintf(format, args...), File: file,
			Line: line})
	}
	for {
		cfg = &Config{File: file}
		err := decode(data, cfg)
		var strict *toml.StrictMissingError
		var derr *toml.DecodeError
		switch {
		case errors.As(err, &strict):
			for i := range strict.Errors {
				row, _ := strict.Errors[i].Position()
				add(Warning, row, "unknown setting %q", strings.Join(strict.Errors[i].Key(), "."))
			}
		case errors.As(err, &derr):
			row, _ := derr.Position()
			add(Error, row, "not valid: %s", plainTOML(derr.Error(), derr.Key()))
			if rest := withoutSetting(data, row); rest != nil && len(problems) < maxWrongTypes &&
				wrongType.MatchString(strings.TrimPrefix(derr.Error(), "toml: ")) {
				data = rest
				continue
			}
			return &Config{File: file}, problems
		case err != nil:
			add(Error, 0, "not valid: %s", plainTOML(err.Error(), nil))
			return &Config{File: file}, problems
		}
		break
	}
	lines := keyLines(data)
	cfg.check(lines, add)
	cfg.collectTrust(lines)
	return cfg, problems
}

func decode(data []byte, into *Config) error {
	dec := toml.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// withoutSetting blanks the setting that stands in a line, for the rest of a file
// to count; nil if there is none to blank.
func withoutSetting(data []byte, row int) []byte {
	p := unstable.Parser{}
	p.Reset(data)
	at := linesOf(data)
	first, next := 0, 0 // its first line, and that of the setting or table after it
	for p.NextExpression() {
		e := p.Expression()
		it := e.Key()
		if !it.Next() {
			continue
		}
		line := at.of(it.Node().Raw)
		if line > row {
			next = line
			break
		}
		first = 0
		if e.Kind == unstable.KeyValue {
			first = line
		}
	}
	if first == 0 {
		return nil
	}
	lines := bytes.SplitAfter(slices.Clone(data), []byte("\n"))
	if next == 0 {
		next = len(lines) + 1
	}
	for _, l := range lines[first-1 : next-1] {
		for i, c := range l {
			if c != '\n' {
				l[i] = ' '
			}
		}
	}
	return bytes.Join(lines, nil)
}

var wrongType = regexp.MustCompile(`^cannot decode TOML (\w+) into (?:struct field \S+|a Go value) of type (\S+)$`)

// plainTOML says what is wrong with a value in words of TOML, not of Go.
func plainTOML(msg string, key []string) string {
	msg = strings.TrimPrefix(msg, "toml: ")
	m := wrongType.FindStringSubmatch(msg)
	if m == nil {
		return msg
	}
	want := "a table"
	switch t := strings.TrimLeft(m[2], "*"); {
	case strings.HasPrefix(t, "[]"):
		want = "a list"
	case t == "string":
		want = "a string in quotes"
	case t == "bool":
		want = "true or false"
	case strings.HasPrefix(t, "int"):
		want = "a number"
	}
	msg = fmt.Sprintf("%s is wanted, and this is of type %s", want, m[1])
	if len(key) > 0 {
		msg = strings.Join(key, ".") + ": " + msg
	}
	return msg
}

// check fills in line numbers, drops what is impossible, and reports it.
func (c *Config) check(lines map[string]int, add func(Severity, int, string, ...any)) {
	if c.Build != "" && !slices.Contains(Builds, c.Build) {
		add(Warning, lines["build"], "build is %q; it may be \"maven\", \"gradle\" or \"plain\"", c.Build)
		c.Build = ""
	}
	if x := c.Campaign; x != nil && x.Isolation != "" && !slices.Contains(Isolations, x.Isolation) {
		add(Warning, lines["campaign.isolation"], "isolation is %q; it may be %s", x.Isolation,
			strings.Join(Isolations, ", "))
		x.Isolation = ""
	}
	if x := c.Campaign; x != nil && x.Reading != "" && !slices.Contains(Readings, x.Reading) {
		add(Warning, lines["campaign.reading"], "reading is %q; it may be %s", x.Reading, strings.Join(Readings, ", "))
		x.Reading = ""
	}
	if x := c.Campaign; x != nil && x.FineGrain < 0 {
		add(Warning, lines["campaign.fineGrain"], "fineGrain is %d; it may be 0 or more", x.FineGrain)
		x.FineGrain = 0
	}
	c.MoreHints = slices.DeleteFunc(c.MoreHints, func(h string) bool {
		if slices.Contains(MoreHints, h) {
			return false
		}
		add(Warning, lines["moreHints"], "moreHints has %q; it may have %s", h, strings.Join(MoreHints, ", "))
		return true
	})
	keep := c.Infeasible[:0]
	for i, x := range c.Infeasible {
		x.Line = lines[fmt.Sprintf("infeasible[%d]", i)]
		if !x.says() {
			add(Warning, x.Line, "an [[infeasible]] without catch and throwSites judges nothing")
			continue
		}
		if strings.TrimSpace(x.Reason) == "" {
			add(Warning, x.Line, "the judgement on %s gives no reason", x.name())
		}
		keep = append(keep, x)
	}
	c.Infeasible = keep
	accepts := c.Accept[:0]
	for i, x := range c.Accept {
		x.Line = lines[fmt.Sprintf("accept[%d]", i)]
		if x.Catch == "" {
			add(Warning, x.Line, "an [[accept]] without catch accepts nothing")
			continue
		}
		if x.Finding != "" && !slices.Contains(Findings, x.Finding) {
			add(Warning, x.Line, "finding is %q; it may be %s", x.Finding, strings.Join(Findings, ", "))
			continue
		}
		if strings.TrimSpace(x.Reason) == "" {
			add(Warning, x.Line, "the acceptance of %s gives no reason", x.Catch)
		}
		accepts = append(accepts, x)
	}
	c.Accept = accepts
	c.checkFaults(lines, add)
	c.ModuleConfig.check("", lines, add)
	for _, name := range sortedKeys(c.Module) {
		m := c.Module[name]
		if m == nil {
			delete(c.Module, name)
			continue
		}
		m.check("module."+name+".", lines, add)
	}
}

// FaultName is what a fault may be called: it stands in reports and in lists of kinds of faults.
var FaultName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// checkFaults drops faults that say too little, and those that have the name of another.
func (c *Config) checkFaults(lines map[string]int, add func(Severity, int, string, ...any)) {
	keep := c.Faults[:0]
	seen := map[string]int{}
	for i, x := range c.Faults {
		x.Line = lines[fmt.Sprintf("fault[%d]", i)]
		switch {
		case !FaultName.MatchString(x.Name):
			add(Warning, x.Line, "a [[fault]] needs a name of letters, digits, '-', '_' and '.'; this one has %q",
				x.Name)
			continue
		case seen[x.Name] > 0:
			add(Warning, x.Line, "the fault %s is in line %d already", x.Name, seen[x.Name])
			continue
		case x.Method == "" || x.Exception == "":
			add(Warning, x.Line, "the fault %s needs a method and an exception", x.Name)
			continue
		}
		seen[x.Name] = x.Line
		keep = append(keep, x)
	}
	c.Faults = keep
}

func (m *ModuleConfig) check(prefix string, lines map[string]int, add func(Severity, int, string, ...any)) {
	keep := m.ExcludeTests[:0]
	for i, x := range m.ExcludeTests {
		key := fmt.Sprintf("%sexcludeTests[%d]", prefix, i)
		x.line = lines[key]
		if x.line == 0 {
			x.line = lines[prefix+"excludeTests"]
		}
		n := 0
		for _, s := range []string{x.Test, x.Pattern, x.Tag} {
			if s != "" {
				n++
			}
		}
		if n != 1 {
			add(Warning, x.line, "an entry of excludeTests needs exactly one of test, pattern and tag; this one has %d",
				n)
			continue
		}
		if strings.TrimSpace(x.Reason) == "" {
			add(Warning, x.line, "the exclusion of %s gives no reason", x.Test+x.Pattern+x.Tag)
		}
		keep = append(keep, x)
	}
	m.ExcludeTests = keep
	if m.Release != nil && (*m.Release < 1 || *m.Release > 99) {
		add(Warning, lines[prefix+"release"], "release is %d; it is a Java feature version such as 8 or 17", *m.Release)
		m.Release = nil
	}
	if m.Test != nil && m.Test.Framework != nil && !slices.Contains(Frameworks, *m.Test.Framework) {
		add(Warning, lines[prefix+"test.framework"],
			"test.framework is %q; it may be junit3, junit4, junit-platform or testng", *m.Test.Framework)
		m.Test.Framework = nil
	}
}

func (c *Config) collectTrust(lines map[string]int) {
	item := func(key, value string) {
		line := lines[key]
		c.NeedsTrust = append(c.NeedsTrust, TrustItem{Key: key, Value: value, File: c.File, Line: line})
	}
	if len(c.BuildCommands) > 0 {
		item("buildCommands", strings.Join(c.BuildCommands, "; "))
	}
	collect := func(prefix string, m *ModuleConfig) {
		if m.JDK != nil {
			item(prefix+"jdk", *m.JDK)
		}
		for _, l := range []struct {
			key  string
			list []string
		}{{"processorPath", m.ProcessorPath}, {"processors", m.Processors}, {"compilerArgs", m.CompilerArgs}} {
			if len(l.list) > 0 {
				item(prefix+l.key, strings.Join(l.list, " "))
			}
		}
		if t := m.Test; t != nil {
			if len(t.JVMArgs) > 0 {
				item(prefix+"test.jvmArgs", strings.Join(t.JVMArgs, " "))
			}
			for _, k := range sortedKeys(t.Environment) {
				item(prefix+"test.environment."+k, t.Environment[k])
			}
		}
	}
	collect("", &c.ModuleConfig)
	for _, name := range sortedKeys(c.Module) {
		collect("module."+name+".", c.Module[name])
	}
}

// lineStarts are the positions at which the lines of a document begin but for the first: the parser
// counts lines from the beginning of the document each time it is asked.
type lineStarts []uint32

func linesOf(data []byte) (starts lineStarts) {
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, uint32(i+1))
		}
	}
	return starts
}

// of is the 1-based line that a range begins in.
func (s lineStarts) of(r unstable.Range) int {
	n, found := slices.BinarySearch(s, r.Offset)
	if found {
		n++
	}
	return n + 1
}

// keyLines maps each dotted key of a TOML document to its 1-based line; the
// i-th table of an array of tables has the key "name[i]". Keys inside inline
// tables are not listed, except that their own key is.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	counts := map[string]int{}
	p := unstable.Parser{}
	p.Reset(data)
	prefix := ""
	at := linesOf(data)
	for p.NextExpression() {
		e := p.Expression()
		it := e.Key()
		var parts []string
		line := 0
		for it.Next() {
			n := it.Node()
			parts = append(parts, string(n.Data))
			if line == 0 {
				line = at.of(n.Raw)
			}
		}
		key := strings.Join(parts, ".")
		switch e.Kind {
		case unstable.Table:
			prefix = key + "."
			lines[key] = line
		case unstable.ArrayTable:
			k := fmt.Sprintf("%s[%d]", key, counts[key])
			counts[key]++
			lines[k] = line
			prefix = k + "."
		case unstable.KeyValue:
			lines[prefix+key] = line
			if e.Value().Kind == unstable.InlineTable {
				kids := e.Value().Children()
				for kids.Next() {
					kk := kids.Node().Key()
					for kk.Next() {
						lines[prefix+key+"."+string(kk.Node().Data)] = line
					}
				}
			}
		}
	}
	return lines
}

// AppendInfeasible adds a judgement at the end of the catchlens.toml in dir,
// creating the file where needed. Everything already in the file stays byte
// for byte, line endings included. It refuses, naming the file, when the file
// does not parse or when the judgement could not be read back.
func AppendInfeasible(dir string, j Infeasible) error {
	if !j.says() || strings.TrimSpace(j.Reason) == "" {
		return errors.New("a judgement needs links and a reason")
	}
	var entry [][2]string
	for _, kv := range [][2]string{{"link", j.Link}, {"catch", j.Catch}, {"exception", j.Exception}} {
		if kv[1] != "" {
			entry = append(entry, [2]string{kv[0], tomlString(kv[1])})
		}
	}
	if len(j.ThrowSites) > 0 {
		entry = append(entry, [2]string{"throwSites", tomlStrings(j.ThrowSites)})
	}
	if j.Note != "" {
		entry = append(entry, [2]string{"note", tomlString(j.Note)})
	}
	entry = append(entry, [2]string{"reason", tomlString(j.Reason)})
	return appendTable(dir, "infeasible", entry, func(c *Config) bool {
		return slices.ContainsFunc(c.Infeasible, func(x Infeasible) bool { return x.Same(j) && x.Reason == j.Reason })
	})
}

// tomlStrings is an array, a line for each element where there are several.
func tomlStrings(list []string) string {
	if len(list) == 1 {
		return "[" + tomlString(list[0]) + "]"
	}
	var b strings.Builder
	b.WriteString("[\n")
	for _, x := range list {
		b.WriteString("    " + tomlString(x) + ",\n")
	}
	return b.String() + "]"
}

// AppendAccept adds an [[accept]] the way AppendInfeasible adds its own.
func AppendAccept(dir string, a Accept) error {
	if a.Catch == "" || strings.TrimSpace(a.Reason) == "" {
		return errors.New("an acceptance needs a catch and a reason")
	}
	entry := [][2]string{{"catch", tomlString(a.Catch)}}
	for _, kv := range [][2]string{{"finding", a.Finding}, {"note", a.Note}} {
		if kv[1] != "" {
			entry = append(entry, [2]string{kv[0], tomlString(kv[1])})
		}
	}
	entry = append(entry, [2]string{"reason", tomlString(a.Reason)})
	return appendTable(dir, "accept", entry, func(c *Config) bool {
		for _, x := range c.Accept {
			if x.Catch == a.Catch && x.Reason == a.Reason && x.Finding == a.Finding {
				return true
			}
		}
		return false
	})
}

// appendTable adds a table with keys and their values as TOML writes them.
func appendTable(dir, table string, entry [][2]string, present func(*Config) bool) error {
	file := filepath.Join(dir, ConfigName)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	old, err := bounded.Read(file, maxConfigSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("cannot add to %s: %s", file, filetree.Reason(err))
	default:
		if err := toml.Unmarshal(bytes.TrimPrefix(old, []byte("\xef\xbb\xbf")), new(any)); err != nil {
			return fmt.Errorf("cannot add to %s: it is not valid TOML: %v", file, err)
		}
	}
	nl := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		nl = "\r\n"
	}
	var b bytes.Buffer
	b.Write(old)
	if len(old) > 0 {
		if !bytes.HasSuffix(old, []byte("\n")) {
			b.WriteString(nl)
		}
		b.WriteString(nl)
	}
	b.WriteString("[[" + table + "]]" + nl)
	for _, kv := range entry {
		b.WriteString(kv[0] + " = " + strings.ReplaceAll(kv[1], "\n", nl) + nl)
	}
	cfg, problems := ParseConfig(file, b.Bytes())
	if !present(cfg) {
		why := "the entry could not be read back"
		if len(problems) > 0 {
			why = problems[len(problems)-1].Message
		}
		return fmt.Errorf("cannot add to %s: %s", file, why)
	}
	return replaceFile(file, b.Bytes())
}

// replaceFile writes a file as a whole.
func replaceFile(file string, data []byte) error {
	return userfile.Replace(file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// tomlString writes a basic TOML string on one line.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			h := strconv.FormatInt(int64(r), 16)
			b.WriteString(`\u` + strings.Repeat("0", 4-len(h)) + h)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
