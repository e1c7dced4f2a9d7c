// Package reference holds the pages of docs/reference, and the schemas there, to the code.
package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/pelletier/go-toml/v2"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/golden"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/internal/testschema"
)

// draft is the version of the schemas: the newest that editors of TOML understand.
const draft = "http://json-schema.org/draft-07/schema#"

// root is the folder of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// maker makes a schema of a Go type.
type maker struct {
	t     *testing.T
	r     jsonschema.Reflector
	types map[string]reflect.Type // by name, of those that the schema has
}

// newMaker makes a maker for fields that have a tag, with the comments of packages.
func newMaker(t *testing.T, tag string, folders ...string) *maker {
	t.Helper()
	m := &maker{t: t, types: map[string]reflect.Type{}}
	m.r = jsonschema.Reflector{FieldNameTag: tag, Anonymous: true, ExpandedStruct: true,
		Namer: func(typ reflect.Type) string {
			m.types[typ.Name()] = typ
			return typ.Name()
		}}
	t.Chdir(root(t)) // the library makes the names of packages of relative paths
	module, _ := strings.CutSuffix(reflect.TypeFor[codelens.View]().PkgPath(), "/codelens")
	for _, folder := range folders {
		if err := m.r.AddGoComments(module, folder); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range m.r.CommentMap {
		m.r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	return m
}

// field is the schema of a field of a type; the elements' where it is a list.
func (m *maker) field(s *jsonschema.Schema, typ, key string) *jsonschema.Schema {
	m.t.Helper()
	def := s
	if d := s.Definitions[typ]; d != nil {
		def = d
	}
	p, ok := def.Properties.Get(key)
	if !ok {
		m.t.Fatalf("the schema has no %s.%s", typ, key)
	}
	if p.Items != nil {
		return p.Items
	}
	return p
}

// write is the text of a schema.
func write(t *testing.T, s *jsonschema.Schema) []byte {
	t.Helper()
	s.Version = draft
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(`"$defs"`), []byte(`"definitions"`))
	text = bytes.ReplaceAll(text, []byte(`"#/$defs/`), []byte(`"#/definitions/`))
	return append(text, '\n')
}

// words are values of a string, for a schema.
func words[S ~string](list ...S) (out []any) {
	for _, x := range list {
		out = append(out, string(x))
	}
	return out
}

// required demands keys, and of those that are strings more than blanks.
func required(s *jsonschema.Schema, keys ...string) {
	s.Required = keys
	for _, k := range keys {
		if p, ok := s.Properties.Get(k); ok && p.Type == "string" && p.Pattern == "" {
			p.Pattern = `\S`
		}
	}
}

// demands are schemas of which each demands keys.
func demands(keys ...[]string) (out []*jsonschema.Schema) {
	for _, k := range keys {
		out = append(out, &jsonschema.Schema{Required: k})
	}
	return out
}

var siteKinds = exceptions.Sites(0).With(exceptions.Native).With(exceptions.Explicit).With(exceptions.Implicit).Names()

var exceptionSets = words(exceptions.CheckedOwn.String(), exceptions.IO.String(), exceptions.Checked.String(),
	exceptions.All.String())

// configSchema is the schema of catchlens.toml.
func configSchema(t *testing.T) []byte {
	m := newMaker(t, "toml")
	m.r.RequiredFromJSONSchemaTags = true // nothing is
	texts := configTexts(t)
	m.r.LookupComment = func(typ reflect.Type, field string) string {
		if field == "" {
			return ""
		}
		f, _ := typ.FieldByName(field)
		key := f.Tag.Get("toml")
		return cmp.Or(texts[configKey{typ.Name(), key}], texts[configKey{"", key}])
	}
	s := m.r.Reflect(&workspace.Config{})
	s.Title, s.Description = "catchlens.toml", "Settings of a workspace for catchlens, in its root."
	for path, values := range map[string][]any{
		"Config.build":              words(workspace.Builds...),
		"Config.moreHints":          words(workspace.MoreHints...),
		"TestConfig.framework":      words(workspace.Frameworks...),
		"StudiedConfig.callGraph":   append(words(snapshot.Auto), words(snapshot.CallGraphs...)...),
		"StudiedConfig.exceptions":  exceptionSets,
		"StudiedConfig.sites":       words(siteKinds...),
		"StudiedConfig.entryPoints": words(snapshot.EntryPoints...),
		"CampaignConfig.isolation":  words(workspace.Isolations...),
		"CampaignConfig.reading":    words(workspace.Readings...),
		"Accept.finding":            words(workspace.Findings...),
	} {
		typ, key, _ := strings.Cut(path, ".")
		m.field(s, typ, key).Enum = values
	}
	for _, typ := range []string{"Config", "ModuleConfig"} {
		release := m.field(s, typ, "release")
		release.Minimum, release.Maximum = "1", "99"
	}
	m.field(s, "CampaignConfig", "fineGrain").Minimum = "0"

	m.field(s, "FaultConfig", "name").Pattern = workspace.FaultName.String()
	required(s.Definitions["FaultConfig"], "name", "method", "exception")
	required(s.Definitions["Accept"], "catch", "reason")
	required(s.Definitions["ExcludeConfig"], "reason")
	s.Definitions["ExcludeConfig"].OneOf = demands([]string{"test"}, []string{"pattern"}, []string{"tag"})
	required(s.Definitions["Infeasible"], "reason")
	s.Definitions["Infeasible"].AnyOf = demands([]string{"link"}, []string{"catch", "throwSites"})
	sites, _ := s.Definitions["Infeasible"].Properties.Get("throwSites")
	one := uint64(1)
	sites.MinItems = &one
	return write(t, s)
}

// reportSchema is the schema of the JSON report: what is there, and more may be added.
func reportSchema(t *testing.T) []byte {
	m := newMaker(t, "json", "codelens")
	m.r.AllowAdditionalProperties = true
	s := m.r.Reflect(&codelens.Report{})
	s.Title = "The JSON report of catchlens"
	m.field(s, "Report", "schema").Const = 1
	answers := words(shortcircuit.Holds, shortcircuit.Violated, shortcircuit.Unknown)
	stretch := words(shortcircuit.StretchYes, shortcircuit.StretchNo, shortcircuit.StretchUnknown)
	readings := words(shortcircuit.Usage, shortcircuit.Paper)
	outcomes := words(record.Pass, record.Fail, record.Hang, record.Exit, record.Crash, record.NotFired, record.Flaky,
		record.Undecided)
	prepared := words(clause.Local, clause.Field, clause.Element, clause.Object)
	for path, values := range map[string][]any{
		"ReportConfig.callGraph":                words(snapshot.CallGraphs...),
		"ReportConfig.exceptions":               exceptionSets,
		"ReportConfig.sites":                    words(siteKinds...),
		"ReportConfig.entryPoints":              words(snapshot.EntryPoints...),
		"ReportSite.kind":                       words(siteKinds...),
		"ReportLink.experiencedBy":              {"baseline", "fault"},
		"ReportContract.sourceIndependence":     answers,
		"ReportContract.pureResilience":         answers,
		"ReportOtherReading.sourceIndependence": answers,
		"ReportContract.stretchable":            stretch,
		"ReportContract.reading":                readings,
		"ReportOtherReading.reading":            readings,
		"ReportClause.ground":                   words(clause.Unproven, clause.PassesOn, clause.Unaffected),
		"ReportPrepared.kind":                   prepared,
		"ReportDependence.kind":                 prepared,
		"ReportUse.where":                       words(clause.InClause, clause.After, clause.Again),
		"ReportCell.outcome":                    outcomes,
		"ReportWitness.outcome":                 outcomes,
		"ReportDeciding.outcome":                outcomes,
		"ReportUnexplained.outcome":             outcomes,
		"ReportCell.reading":                    {"every", string(record.White)},
		"ReportWitness.reading":                 {"every", string(record.White)},
		"ReportCell.provenance":                 words(record.Caught, record.Copied, record.Made, record.Invented),
		"ReportWitness.provenance":              words(record.Caught, record.Copied, record.Made, record.Invented),
		"ReportProblem.severity":                words(workspace.Error, workspace.Warning, workspace.Info),
		"ReportFailure.outcome":                 words(codelens.Outcomes()...),
		"ReportFailure.apart":                   words(codelens.ThrownByTests, codelens.Misused),
		"ReportLink.outcome": append([]any{"experienced", "unknown"}, words(results.IsForced, results.Masked,
			results.Latent, results.ViaThread, results.NotReached, results.NoTest)...),
	} {
		typ, key, _ := strings.Cut(path, ".")
		m.field(s, typ, key).Enum = values
	}
	m.allowNull(s)
	return write(t, s)
}

// chainsSchema is the schema of call chains in JSON: what is there, and more may be added.
func chainsSchema(t *testing.T) []byte {
	m := newMaker(t, "json", "analysis/callchain")
	m.r.AllowAdditionalProperties = true
	s := m.r.Reflect(&callchain.Document{})
	s.Title = "Call chains of a component"
	m.field(s, "Document", "schema").Const = 1
	call := s.Definitions["DocumentCall"]
	call.OneOf = demands([]string{"node"}, []string{"up", "callee"})
	return write(t, s)
}

// testedChainsSchema is the schema of tested call chains in JSON: what is there, and more may be
// added.
func testedChainsSchema(t *testing.T) []byte {
	m := newMaker(t, "json", "instrument/chains")
	m.r.AllowAdditionalProperties = true
	s := m.r.Reflect(&chains.Document{})
	s.Title = "Call chains that tests have taken"
	m.field(s, "Document", "schema").Const = 1
	return write(t, s)
}

// allowNull lets fields be null whose Go type is a pointer and which are never left out.
func (m *maker) allowNull(s *jsonschema.Schema) {
	for name, typ := range m.types {
		def := s.Definitions[name]
		if def == nil || typ.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(typ) {
			key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if p, ok := def.Properties.Get(key); ok && f.Type.Kind() == reflect.Pointer && options != "omitempty" {
				text := p.Description
				p.Description = ""
				def.Properties.Set(key, &jsonschema.Schema{Description: text,
					OneOf: []*jsonschema.Schema{p, {Type: "null"}}})
			}
		}
	}
}

// The schemas in the repository are those of the code.
func TestGoldenSchemas(t *testing.T) {
	config, report := configSchema(t), reportSchema(t)
	golden.Check(t, testschema.Config, config)
	golden.Check(t, testschema.Report, report)
	golden.Check(t, testschema.Chains, chainsSchema(t))
	golden.Check(t, testschema.TestedChains, testedChainsSchema(t))
}

var tomlBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")

// examples are the settings in documents and elsewhere in the repository, by where they are.
func examples(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, pattern := range []string{"docs/*/*.md", "docs/internals/decisions/*.md", "*.md", "examples/*/*.md",
		"vscode-extension/*.md", "bench/projects/settings/*.toml", "bench/reproduction/settings/*.toml",
		"bench/faults/programs/*/infeasible.toml"} {
		files, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, ".toml") {
				list[file] = string(text)
				continue
			}
			for _, m := range tomlBlock.FindAllStringSubmatch(string(text), -1) {
				list[file] += m[1]
			}
		}
	}
	return list
}

// complaints are what the schema and what the program say of a catchlens.toml.
func complaints(t *testing.T, s *testschema.Schema, text string) (schema, program []string) {
	t.Helper()
	var value map[string]any
	if err := toml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	cfg, problems := workspace.ParseConfig("catchlens.toml", []byte(text))
	for _, p := range problems {
		program = append(program, p.Message)
	}
	if x := cfg.Studied; x != nil {
		if _, err := (snapshot.Settings{CallGraph: x.CallGraph, Exceptions: x.Exceptions, Sites: x.Sites,
			EntryPoints: x.EntryPoints}).Config(); err != nil {
			program = append(program, err.Error())
		}
	}
	return s.Problems(value), program
}

// Every catchlens.toml that the repository shows or uses validates, and the program takes it.
func TestExamples(t *testing.T) {
	s := testschema.Load(t, testschema.Config)
	list := examples(t)
	if len(list) < 10 {
		t.Errorf("only %d examples", len(list))
	}
	for file, text := range list {
		schema, program := complaints(t, s, text)
		if len(schema)+len(program) > 0 {
			t.Errorf("%s: the schema says %q, the program %q", file, schema, program)
		}
	}
}

// What the program complains of does not validate, and the other way round.
func TestSchemaAgrees(t *testing.T) {
	s := testschema.Load(t, testschema.Config)
	for text, valid := range map[string]bool{
		"": true, "jdk = \"17\"": true, "jdk = 17": false, "jkd = \"17\"": false,
		"build = \"maven\"": true, "build = \"ant\"": false, "release = 17": true, "release = 0": false,
		"release = 100": false, "release = \"17\"": false, "classPath = []": true, "classPath = \"lib\"": false,
		"moreHints = [\"stretchable-catch\"]": true, "moreHints = [\"source-dependent-catch\"]": false,
		"[module.core]\nskip = true":                                                            true,
		"[module.core]\nskip = \"yes\"":                                                         false,
		"[module.core]\nrelease = 0":                                                            false,
		"[module.core]\nbuild = \"maven\"":                                                      false,
		"[module.core.test]\nframework = \"testng\"":                                            true,
		"[module.core.test]\nframework = \"spock\"":                                             false,
		"[test]\nsystemProperties = { a = \"b\" }":                                              true,
		"[test]\nsystemProperties = { a = 1 }":                                                  false,
		"[test]\nmodulePath = false":                                                            true,
		"[test]\nunknown = 1":                                                                   false,
		"[studied]\ncallGraph = \"auto\"":                                                       true,
		"[studied]\ncallGraph = \"magic\"":                                                      false,
		"[studied]\nsites = [\"implicit\"]":                                                     true,
		"[studied]\nsites = [\"declared\"]":                                                     false,
		"[studied]\nexceptions = \"checked+own\"":                                               true,
		"[studied]\nexceptions = \"own\"":                                                       false,
		"[studied]\nentryPoints = \"public\"":                                                   true,
		"[studied]\nentryPoints = \"everything\"":                                               false,
		"[campaign]\nisolation = \"fork\"\nreading = \"paper\"":                                 true,
		"[campaign]\nisolation = \"none\"":                                                      false,
		"[campaign]\nreading = \"both\"":                                                        false,
		"[campaign]\nfineGrain = 0":                                                             true,
		"[campaign]\nfineGrain = -1":                                                            false,
		"[[excludeTests]]\ntag = \"slow\"\nreason = \"slow\"":                                   true,
		"[[excludeTests]]\ntag = \"slow\"":                                                      false,
		"[[excludeTests]]\nreason = \"slow\"":                                                   false,
		"[[excludeTests]]\ntag = \"a\"\ntest = \"b\"\nreason=\"\"":                              false,
		"[[accept]]\ncatch = \"p/C.m()#0\"\nreason = \"so\"":                                    true,
		"[[accept]]\ncatch = \"p/C.m()#0\"\nreason = \" \"":                                     false,
		"[[accept]]\nreason = \"so\"":                                                           false,
		"[[accept]]\ncatch = \"p/C.m()#0\"\nreason = \"so\"\nfinding = \"catch-never-entered\"": true,
		"[[accept]]\ncatch = \"p/C.m()#0\"\nreason = \"so\"\nfinding = \"never-entered\"":       false,
		"[[infeasible]]\nlink = \"x\"\nreason = \"so\"":                                         true,
		"[[infeasible]]\nlink = \"x\"":                                                          false,
		"[[infeasible]]\ncatch = \"x\"\nreason = \"so\"":                                        false,
		"[[infeasible]]\ncatch = \"x\"\nthrowSites = []\nreason = \"so\"":                       false,
		"[[infeasible]]\ncatch = \"x\"\nthrowSites = [\"y\"]\nreason = \"so\"":                  true,
		"[[fault]]\nname = \"down\"\nmethod = \"p.C.m\"\nexception = \"p.E\"":                   true,
		"[[fault]]\nname = \"down it\"\nmethod = \"p.C.m\"\nexception = \"p.E\"":                false,
		"[[fault]]\nname = \"down\"\nmethod = \"p.C.m\"":                                        false,
		"[fault]\nname = \"down\"":                                                              false,
	} {
		schema, program := complaints(t, s, text)
		if (len(schema) == 0) != valid || (len(program) == 0) != valid {
			t.Errorf("%s\nvalid %v; the schema says %q, the program %q", text, valid, schema, program)
		}
	}
}

// A value of a wrong type is one for the schema and for the program, at every key of the example in
// docs/reference/catchlens-toml.md.
func TestSchemaAgreesOnTypes(t *testing.T) {
	s := testschema.Load(t, testschema.Config)
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "reference", "catchlens-toml.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := tomlBlock.FindSubmatch(page)[1]
	changed := 0
	var change func(whole any, at map[string]any)
	change = func(whole any, at map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(at)) {
			was := at[key]
			for _, wrong := range []any{true, int64(7), "word", []any{int64(1)}, map[string]any{"k": []any{true}}} {
				if reflect.TypeOf(wrong) == reflect.TypeOf(was) {
					continue
				}
				at[key] = wrong
				text, err := toml.Marshal(whole)
				if err != nil {
					t.Fatal(err)
				}
				changed++
				schema, program := complaints(t, s, string(text))
				if len(schema) == 0 || len(program) == 0 {
					t.Errorf("%s = %v: the schema says %q, the program %q", key, wrong, schema, program)
				}
			}
			at[key] = was
			switch was := was.(type) {
			case map[string]any:
				change(whole, was)
			case []any:
				for _, x := range was {
					if x, ok := x.(map[string]any); ok {
						change(whole, x)
					}
				}
			}
		}
	}
	var value map[string]any
	if err := toml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	change(value, value)
	if changed < 100 {
		t.Errorf("only %d values were changed", changed)
	}
}
