package model

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/catchlens/catchlens/analysis/features"
)

// plainThough are classes that ModelCall knows and IsModelled does not, with the reason.
var plainThough = map[string]string{
	"java/io/ObjectOutputStream": "what is written goes through its code as well: ModelCall returns false",
	"java/io/ObjectOutput":       "as of ObjectOutputStream",
	"java/io/ObjectInput": "a call of it passes nothing but itself; what it calls is modelled if it is " +
		"ObjectInputStream's, and plain code if it is the program's own",
	"java/io/ObjectStreamClass$FieldReflector": "its code calls Unsafe, which is modelled",
}

// What ModelCall answers in place of the code IsModelled tells to who asks beforehand: a class that
// is added to one is added to the other.
func TestModelledCalls(t *testing.T) {
	named := map[string]string{"UnsafeClass": features.UnsafeClass, "SunUnsafe": features.SunUnsafe,
		"FieldUpdater": features.FieldUpdater}
	file, err := parser.ParseFile(token.NewFileSet(), "intrinsic.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "ModelCall" {
			continue
		}
		for _, s := range f.Body.List {
			byClass, ok := s.(*ast.SwitchStmt)
			if !ok {
				continue
			}
			for _, c := range byClass.Body.List {
				names := namesIn(c.(*ast.CaseClause).Body)
				for _, x := range c.(*ast.CaseClause).List {
					class := named[lastName(x)]
					if class == "" {
						class = text(x)
					}
					asked[class] = true
					checkModelled(t, class, names)
				}
			}
		}
	}
	if len(asked) < 10 {
		t.Fatalf("ModelCall asks for %d classes: the test does not find them", len(asked))
	}
	for class := range plainThough {
		if !asked[class] {
			t.Errorf("ModelCall does not ask for %s any more", class)
		}
	}
}

// checkModelled checks a class of ModelCall and the methods that it compares with there.
func checkModelled(t *testing.T, class string, methods []string) {
	if plainThough[class] != "" {
		return
	}
	if len(methods) == 0 {
		methods = []string{"any"}
	}
	for _, m := range methods {
		if !IsModelled(class, m) {
			t.Errorf("ModelCall knows what %s.%s does, IsModelled says that its code tells: name it in modelled, or "+
				"in plainThough of this test with the reason", class, m)
		}
	}
}

// namesIn lists the texts that c.Name is compared with.
func namesIn(body []ast.Stmt) (names []string) {
	isName := func(x ast.Expr) bool {
		s, ok := x.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Name"
	}
	for _, s := range body {
		ast.Inspect(s, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BinaryExpr:
				if x.Op == token.EQL && isName(x.X) {
					names = append(names, text(x.Y))
				}
			case *ast.SwitchStmt:
				if x.Tag != nil && isName(x.Tag) {
					for _, c := range x.Body.List {
						for _, e := range c.(*ast.CaseClause).List {
							names = append(names, text(e))
						}
					}
				}
			}
			return true
		})
	}
	return names
}

func text(x ast.Expr) string {
	if l, ok := x.(*ast.BasicLit); ok {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}

func lastName(x ast.Expr) string {
	if s, ok := x.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}
