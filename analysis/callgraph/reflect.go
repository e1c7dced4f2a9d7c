package callgraph

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file models reflection, method handles, services, proxies and
// serialisation: code that names its callees by constants.

// pools are the callee sets that reflective calls share, whoever makes them.
type pools struct {
	methods      SetID // what Method.invoke may call
	lent         SetID // what it may call besides, where it is given a Method of generated code
	named        SetID // those of them that classes outside the JDK get at by name
	constructors SetID // what Constructor.newInstance may call
	newable      SetID // those of them that classes outside the JDK get at
	plain        SetID // what Class.newInstance may call
	initializers SetID // what Class.forName, besides constants at the call, and newInstance may initialise
	accessed     SetID // what using a static member by reflection or a VarHandle may initialise
	handles      SetID // what a method handle may call
	unreflected  SetID // the same, with handles made of reflected methods and constructors
	records      SetID // constructors of records that deserialisation may call
	defaults     SetID // default methods that handlers of proxies may call on these

	serial  [len(features.SerialMethods)]bool // by SerialMethods: ObjectStreamClass may call it
	created []hierarchy.TypeID                // serialisable classes with instances
}

func (b *builder) newPools() pools {
	return pools{methods: b.newSet(), lent: b.newSet(), named: b.newSet(), newable: b.newSet(),
		constructors: b.newSet(), plain: b.newSet(), initializers: b.newSet(), accessed: b.newSet(),
		handles: b.newSet(), unreflected: b.newSet(), records: b.newSet(), defaults: b.newSet()}
}

// handleCallSet is the callee set of an invocation of a method handle in a
// class.
func (p *pools) handleCallSet(class string) SetID {
	return [...]SetID{p.methods, p.constructors, p.handles, p.unreflected, p.records,
		p.defaults}[features.HandlePool(class)]
}

// addHandle adds a method handle to those that any invocation may call.
func (p *pools) addHandle(b *builder, h facts.Handle, class string) {
	if n := b.handleNode(h, class, "", true); n != NoNode {
		b.add(p.handles, n)
		b.add(p.unreflected, n)
	}
}

// visitReflection adds what the calls of the method name by constants.
func (b *builder) visitReflection(class string, m *facts.Method) {
	if features.MentionsAddresses(m) && !natives.OfJDK(class) {
		b.names.DependsOn(b.h.Lookup(class))
	}
	b.names.Tell(b.h, class, m, b.given, &named{b, class, m})
}

// loadIfPresent loads a class that need not exist.
func (b *builder) loadIfPresent(name string) (hierarchy.TypeID, bool) {
	if !b.h.Present(name) {
		return hierarchy.NoType, false
	}
	t := b.load(name, "")
	b.reference(t)
	return t, true
}

// reflectConstructors makes the constructors of a class callable by reflection.
// by is the class whose code gets at them.
func (b *builder) reflectConstructors(t hierarchy.TypeID, by string) {
	program := !natives.OfJDK(by)
	if program {
		b.effects.note(reflectsOwn, int32(t))
	} else {
		b.effects.note(reflects, int32(t))
	}
	if st := b.state(t); st.reflected && (st.newable || !program) || !b.h.Instantiable(t) {
		return
	}
	b.state(t).reflected = true
	b.state(t).newable = b.state(t).newable || program
	b.createByReflection(t, func(m hierarchy.MethodID) { b.construct(m, program) })
}

// createByReflection makes objects of a class that has instances, and initialises it. construct is
// called with each constructor.
func (b *builder) createByReflection(t hierarchy.TypeID, construct func(m hierarchy.MethodID)) {
	b.effects.enter()
	defer b.effects.leave()
	b.reference(t)
	b.create(t)
	class := b.h.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name == "<init>" {
			construct(b.h.MethodAt(t, i))
		}
	}
	b.initialisedByName(t)
}

// initialisedByName lets a load by a name that is no constant initialise a class.
func (b *builder) initialisedByName(t hierarchy.TypeID) {
	for _, n := range b.sets[b.initSet(t)].members {
		b.add(b.pools.initializers, n)
	}
}

// reflectProvider makes the constructor of a provider callable by reflection, which is the one
// without parameters where the JDK asks: other code may call others on ServiceLoader.Provider.type
// and Object.getClass.
func (b *builder) reflectProvider(t hierarchy.TypeID, by string) {
	if !natives.OfJDK(by) {
		b.reflectConstructors(t, by)
		return
	}
	b.effects.note(provides, int32(t))
	if own := features.DefaultConstructor(b.h, t); own != hierarchy.NoMethod {
		b.createByReflection(t, func(m hierarchy.MethodID) {
			if m == own {
				b.construct(m, false)
			}
		})
	}
}

// reflectEngine makes the constructors of what a security provider lists callable by reflection,
// as Provider.Service calls them.
func (b *builder) reflectEngine(t hierarchy.TypeID) {
	b.effects.note(engages, int32(t))
	if !b.h.Instantiable(t) {
		return
	}
	plain := features.EnginesArePlain(b.h)
	b.createByReflection(t, func(m hierarchy.MethodID) {
		if plain {
			b.construct(m, false)
		} else {
			b.add(b.pools.constructors, b.reach(m))
		}
	})
}

// construct makes a constructor callable by reflection. Class.newInstance calls
// those without parameters. program tells whether code outside the JDK gets at it.
func (b *builder) construct(m hierarchy.MethodID, program bool) {
	n := b.reach(m)
	b.add(b.pools.constructors, n)
	if b.h.Method(m).Desc == "()V" {
		b.add(b.pools.plain, n)
	}
	if program {
		b.add(b.pools.newable, n)
	}
}

// reflectMethods makes the methods of that name, inherited ones too, callable
// by Method.invoke.
func (b *builder) reflectMethods(t hierarchy.TypeID, name, by string) {
	for m := range b.h.MethodsNamed(t, name) {
		b.invocable(t, m, by)
	}
}

// invocable adds one method, called on instances of t, to those that
// Method.invoke may call, and, where code outside the JDK gets at it, a handle
// made of the Method. by is the class whose code gets at it.
func (b *builder) invocable(t hierarchy.TypeID, m hierarchy.MethodID, by string) {
	program := !natives.OfJDK(by)
	if b.h.Method(m).Name == "<init>" {
		b.construct(m, program)
		return
	}
	b.add(b.pools.methods, b.calledOn(t, m))
	b.invokeStatic(m, by)
	if program {
		b.add(b.pools.named, b.handleOn(t, m, by))
	}
}

// handleOn is the node that calls a handle which code of the class by makes of a method, called
// on instances of t.
func (b *builder) handleOn(t hierarchy.TypeID, m hierarchy.MethodID, by string) NodeID {
	if features.InvokeInitializes(b.h, m, by) {
		return b.initializing(m)
	}
	return b.calledOn(t, m)
}

// calledOn is the node that calls a method on instances of t.
func (b *builder) calledOn(t hierarchy.TypeID, m hierarchy.MethodID) NodeID {
	if b.h.Method(m).Access&(hierarchy.AccStatic|hierarchy.AccPrivate) != 0 {
		return b.reach(m)
	}
	return b.wrapper(b.virtualSetOf(t, m))
}

// enumConstants makes the method values of an enum class callable by Method.invoke:
// Class.getEnumConstants calls it, on behalf of Enum.valueOf, EnumSet and EnumMap,
// and initialises the class. For an annotation interface it does so with the classes of
// its elements, which reading an annotation asks for.
func (b *builder) enumConstants(t hierarchy.TypeID) {
	for _, e := range features.AnnotationEnums(b.h, t, b.load) {
		b.enumConstants(e)
	}
	if !features.IsEnum(b.h, t) {
		return
	}
	for _, m := range features.EnumValues(b.h, t) {
		b.add(b.pools.methods, b.reach(m))
	}
	init := b.initSet(t)
	for _, n := range b.sets[init].members {
		b.add(b.pools.initializers, n)
	}
}

// annotationValue makes the constants of an enum class that a call may get as the
// value of an annotation.
func (b *builder) annotationValue(class string, c *facts.Call) {
	if e := features.AnnotationElement(b.h, c); e != "" {
		b.enumConstants(b.load(e[1:len(e)-1], class))
	}
}

// services makes the providers of a service callable by reflection, as
// java.util.ServiceLoader does.
func (b *builder) services(class, service string) {
	b.reference(b.load(service, class))
	for p := range features.Providers(b.cfg.Providers, service) {
		if t, ok := b.loadIfPresent(p); ok {
			b.reflectProvider(t, class)
			b.reflectMethods(t, features.ProviderMethod, class)
		}
	}
}

// visitSerialization notes which of them reached code may call.
func (b *builder) visitSerialization(class string, m *facts.Method) {
	for _, i := range features.SerialCalls(class, m) {
		b.effects.note(serializes, int32(i))
		if !b.pools.serial[i] {
			b.pools.serial[i] = true
			b.effects.enter()
			defer b.effects.leave()
			for _, t := range b.pools.created {
				b.serialMethod(t, i)
			}
		}
	}
}

// serializable notes an instantiated class that may be serialised.
func (b *builder) serializable(t hierarchy.TypeID) {
	if !features.Serialisable(b.h, t) {
		return
	}
	b.pools.created = append(b.pools.created, t)
	if m := features.SerialConstructor(b.h, t); m != hierarchy.NoMethod {
		b.construct(m, false)
	}
	for _, m := range features.RecordMakers(b.h, t) {
		b.add(b.pools.records, b.reach(m))
	}
	for i := range features.SerialMethods {
		if b.pools.serial[i] {
			b.serialMethod(t, i)
		}
	}
}

// serialMethod makes one of the special methods of t, if it has it, callable by
// Method.invoke.
func (b *builder) serialMethod(t hierarchy.TypeID, i int) {
	for _, m := range features.SerialImplementations(b.h, t, i) {
		b.add(b.pools.methods, b.reach(m))
	}
}
