// Package model says what Java hides from a reader of calls: lambdas, method handles, reflection,
// proxies, services, serialisation, natives, generated classes, class initialisers, and what fields
// hold that no code stores there. Package features detects it, in the same way for all call graphs;
// this one says which objects flow where with it, and which methods it calls, in constraints of
// package heap and in what a Sink is told.
//
// The same is modelled for call graphs without points-to sets in package callgraph, whose comment
// lists it.
package model

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/heap"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// Instance is a method in a context, or a node without a method that stands between others.
type Instance struct {
	Method hierarchy.MethodID // NoMethod: of a node without one
	Base   int32              // the variable of its first reference parameter, receiver first
	Params int16              // reference parameters, receiver included
	Ret    int32              // the variable of its result, 0 if it has none
	Sites  int32              // sites that it has until now
}

// Call is a call that is made on the objects of a variable.
type Call struct {
	Site   int32
	Method hierarchy.MethodID // that it names
	Args   []int32            // variables of the reference arguments, receiver left out
	Result int32
	Apart  bool // arguments and result do not pass through the method
}

// Sink is who is told what hidden code calls, makes and loads, and keeps the call graph. It numbers
// instances, sites and calls. It is called while a method is visited, and when an object arrives
// somewhere, from Use and CallLambda. All methods but Problem may add variables and constraints.
type Sink interface {
	heap.Owner

	// Reach is the instance of a method in no context. Its code is visited later if it was not
	// reached before.
	Reach(m hierarchy.MethodID) int32
	// MakeNode makes a node without a method, with so many parameters and a result. Nobody else
	// calls it, and its sites are added at once.
	MakeNode(params int) int32
	// Instance tells what is known of an instance.
	Instance(inst int32) Instance
	// AddSite adds a site of a kind to an instance, behind those that it has. index says which one
	// among those of the origin the instruction is; of FromModel it means nothing.
	AddSite(inst int32, kind callgraph.EdgeKind, from callgraph.Origin, index int) int32
	// NameMethod notes the method that the instruction of a site names.
	NameMethod(site int32, m hierarchy.MethodID)
	// MarkUnknown notes that a site passes on what is not known.
	MarkUnknown(site int32)
	// PassArgs notes what a site passes on, to a receiver that is variable 0 where it has none. The
	// arguments do not flow anywhere by it.
	PassArgs(site, recv int32, args []int32)
	// AddEdge lets a site call an instance. What is passed is for the caller to say, by
	// constraints.
	AddEdge(site, inst int32)
	// CallPool lets a site call all members that a pool has and will have.
	CallPool(site int32, pool int8)
	// Dispatch makes a call at a site: on each object of recv that passes filter, what m selects
	// there. Arguments and result flow.
	Dispatch(site int32, m hierarchy.MethodID, filter, recv int32, args []int32, result int32)
	// CallApart makes a call of a method to which only the receiver is passed.
	CallApart(site int32, m hierarchy.MethodID, args []int32)
	// DescribeCall tells what is known of a call. Its arguments are valid until another is made.
	DescribeCall(call int32) Call
	// ConnectOnce tells whether a call was not connected with a lambda until now, by its number.
	ConnectOnce(call, lambda int32) bool

	// Allocate makes an object of a type in a method that is visited, to which a variable points
	// from then on if it is not 0.
	Allocate(v *Visit, to int32, t solve.Type) solve.Object
	// NoteMade, NoteLoad and NoteGlobal note for the method that is visited that it makes an
	// object, loads a field, or takes what a variable outside has.
	NoteMade(o solve.Object)
	NoteLoad(f solve.Field)
	NoteGlobal(v int32)
	// MadeIn notes that running an instance makes an object besides those of its own code.
	MadeIn(inst int32, o solve.Object)
	// Operands are the variables of the operands of a call of the method that is visited.
	Operands(call int) (args []int32, result int32)
}

// Visit is a method whose code is looked at, in a context.
type Visit struct {
	Model  *Model
	Inst   int32            // the instance that has what is found
	Base   int32            // the variable of its first operand
	Type   hierarchy.TypeID // the class of the code
	Class  *facts.Class
	Method *facts.Method
	Row    *natives.Row // what the table of natives says of it, nil for nothing
	At     int          // the call that is being added
}

// Variable is the variable of an operand of a flow, 0 for none.
func (v *Visit) Variable(x uint64) int32 {
	if x == 0 {
		return 0
	}
	return v.Base + int32(x) - 1
}

// Model is what is kept of hidden code.
type Model struct {
	heap.Heap
	Config    callgraph.Config
	Workspace map[string]bool // classes of the workspace
	Names     *features.NameFlow
	// Booting tells that what is asked for of services is to be asked again, see AskAgain: the code
	// of the JDK and of libraries is solved before there is a program.
	Booting bool

	sink     Sink
	lambdas  []Lambda
	pools    [NumPools]Pool
	passed   [2]passedInterfaces // of proxies, and of what invokes handles
	lent     lent
	reflects reflected
	wrappers flat.Table // class and method -> synthetic instance + 1

	anyUses     []anyUse
	offsets     []solve.Field
	offsetLoads []int32         // instances that load fields by offset
	unnamed     []unnamedFields // by type; saves time only

	isNew       []bool // by TypeID: objects of it exist
	newTypes    []hierarchy.TypeID
	initOf      [][]int32 // by TypeID: instances that initialise it
	initDone    []bool
	forServices []askedService // what code that was solved while Booting asks for
}

// askedService is a service for whose providers a class asks.
type askedService struct{ service, by string }

// What is done for objects besides what package solve does.
const (
	useAnyLoad  = solve.OtherUse + iota // a = every field or element that code reaches by offset
	useAnyStore                         // all of these = a
	useAllLoad                          // a = every field or element (reflection)
	useAllStore                         // all of these = a
	useClass                            // objects of its class may be made by reflection
	useAddress                          // URL makes handlers for it, as method a gives it
	useGiven                            // a library that generates classes was given it
)

// New makes a model of a hierarchy.
func New(h *hierarchy.Hierarchy, cfg callgraph.Config, sink Sink) Model {
	s := Model{Heap: heap.New(h, sink), Config: cfg, sink: sink, Names: features.NewNameFlow(h)}
	s.newPools()
	s.lent = lent{any: s.NewVar(), given: s.NewVar(), methods: map[string]lentMethod{}}
	return s
}

// Use does what is to be done for objects of one type and block.
func (s *Model) Use(k solve.UseKind, a int32, t solve.Type, b solve.Block, w uint64) {
	switch k {
	case useClass:
		if i := s.TypeInfo(t); i.Array == "" && i.Lambda < 0 {
			s.ReflectConstructors(i.Class, "")
		}
	case useGiven:
		s.answerGiven(t)
	case useAddress:
		m := s.sink.Instance(a).Method
		s.makeHandlers(features.ProtocolHandlers(s.H, s.H.Name(s.H.Owner(m)), s.H.Method(m)))
	default:
		s.useAny(k, a, t, b, w)
	}
}

// AskAgain asks again for the services that were asked for while Booting.
func (s *Model) AskAgain() {
	for _, a := range s.forServices {
		s.reflectProviders(a.service, a.by)
	}
}

// Services are those that were asked for while Booting.
func (s *Model) Services() (out []string) {
	for _, a := range s.forServices {
		out = append(out, a.service)
	}
	return out
}

// NewTypes are the classes of which objects exist.
func (s *Model) NewTypes() []hierarchy.TypeID { return s.newTypes }

// Lambda tells what is known of the objects of one lambda expression or proxy, by its number.
func (s *Model) Lambda(k int32) *Lambda { return &s.lambdas[k] }

// EachLambda calls yield for all.
func (s *Model) EachLambda(yield func(l *Lambda)) {
	for i := range s.lambdas {
		yield(&s.lambdas[i])
	}
}

// Pool is a pool of what reflection may call.
func (s *Model) Pool(kind int8) *Pool { return &s.pools[kind] }

// Offsets are the fields that code reaches by offset, OffsetLoads the instances that load some.
func (s *Model) Offsets() []solve.Field { return s.offsets }
func (s *Model) OffsetLoads() []int32   { return s.offsetLoads }

// Forget gives up what only solving needs.
func (s *Model) Forget() {
	s.Solver.Forget()
	s.anyUses = nil
}

// params counts the reference parameters of a method, receiver included.
func (s *Model) params(m hierarchy.MethodID) int {
	f := s.H.Method(m)
	n, _ := heap.RefParams(f.Desc)
	if f.Access&hierarchy.AccStatic == 0 {
		n++
	}
	return n
}
