package pointsto;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Class objects that go through the program before an object is made of them. */
public class ClassTokens {
    static int caught;

    /** Its argument is the object that code in another method has made of a class. */
    static void run(Thrower t) {
        try {
            t.act();
        } catch (Failure e) { //@ includes("byParameter", "byField", "byCollection", "byEnum", "byArray", "byLambda", "bySupplier", "byResult", "byReference", "byName", "byNames", "byResource", "byHandle", "byGeneric", "byService", "byOverride", "byNested", "byFieldType", "byArgument", "byParameterType", "byInside", "byPermitted", "byResultType", "byInheritedField", "byInheritedResult", "bySuperArgument", "byBound", "byInnerOfGeneric", "byEnclosing") excludes[rta+]("neverMade", "neverAsked") experienced("byParameter", "byField", "byCollection", "byEnum", "byArray", "byLambda", "bySupplier", "byResult", "byReference", "byName", "byNames", "byResource", "byHandle", "byGeneric", "byService", "byOverride", "byNested", "byFieldType", "byArgument", "byParameterType", "byInside", "byPermitted", "byResultType", "byInheritedField", "byInheritedResult", "bySuperArgument", "byBound", "byInnerOfGeneric", "byEnclosing")
            caught++;
        }
    }

    /** A pool that makes its members of a class that it is given, by a constructor with parameters. */
    static class Pool {
        final Thrower[] members = new Thrower[2];

        Pool(Class<? extends Thrower> type) throws Exception {
            for (int i = 0; i < members.length; i++) {
                members[i] = type.getConstructor(String.class).newInstance("m" + i);
            }
        }

        void go() {
            run(members[0]);
        }
    }

    public static class Member implements Thrower {
        public Member(String name) {
        }

        @Override
        public void act() throws Failure {
            try {
                throw new Failure("inside"); //@ site("inside")
            } catch (Failure e) { //@ links("inside") experienced("inside")
                throw new Failure("byParameter"); //@ site("byParameter")
            }
        }
    }

    /** Keeps the class, and makes the object later. */
    static class Factory {
        private final Class<? extends Thrower> type;

        Factory(Class<? extends Thrower> type) {
            this.type = type;
        }

        Thrower make() throws ReflectiveOperationException {
            return type.getDeclaredConstructor().newInstance();
        }
    }

    static class OfFactory implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byField"); //@ site("byField")
        }
    }

    /** A registry: a map of lists, filled in one place and read in another. */
    static class Registry {
        private final Map<String, List<Class<? extends Thrower>>> types = new HashMap<>();

        void register(String name, Class<? extends Thrower> type) {
            types.computeIfAbsent(name, n -> new ArrayList<>()).add(type);
        }

        List<Thrower> all(String name) throws ReflectiveOperationException {
            List<Thrower> out = new ArrayList<>();
            for (Class<? extends Thrower> c : types.get(name)) {
                Constructor<? extends Thrower> constructor = c.getDeclaredConstructor();
                constructor.setAccessible(true);
                out.add(constructor.newInstance());
            }
            return out;
        }
    }

    static class Registered implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byCollection"); //@ site("byCollection")
        }
    }

    /** Is a class object and nothing else: no object is made of it. */
    static class NeverMade implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("neverMade"); //@ site("neverMade")
        }
    }

    enum Kind {
        ONE(OfEnum.class);

        final Class<?> type;

        Kind(Class<?> type) {
            this.type = type;
        }
    }

    static class OfEnum implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byEnum"); //@ site("byEnum")
        }
    }

    private static final Class<?>[] TYPES = {OfArray.class};

    static class OfArray implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byArray"); //@ site("byArray")
        }
    }

    static void each(Class<?>... types) throws ReflectiveOperationException {
        for (Class<?> t : types) {
            run((Thrower) t.getDeclaredConstructor().newInstance());
        }
    }

    static class OfLambda implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byLambda"); //@ site("byLambda")
        }
    }

    static Thrower unchecked(Class<?> c) {
        try {
            return (Thrower) c.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static class OfSupplier implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("bySupplier"); //@ site("bySupplier")
        }
    }

    /** Which class it is, a subclass says. */
    abstract static class Template {
        abstract Class<? extends Thrower> type();

        void go() {
            run(unchecked(type()));
        }
    }

    static class OfTemplate extends Template {
        @Override
        Class<? extends Thrower> type() {
            return OfResult.class;
        }
    }

    static class OfResult implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byResult"); //@ site("byResult")
        }
    }

    static class OfReference implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byReference"); //@ site("byReference")
        }
    }

    private static String named = "pointsto.ClassTokens$OfName";

    static class OfName implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byName"); //@ site("byName")
        }
    }

    private static final String[] NAMES = {"pointsto.ClassTokens$OfNames"};

    static class OfNames implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byNames"); //@ site("byNames")
        }
    }

    /** Only tokens.list names it. */
    static class OfResource implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byResource"); //@ site("byResource")
        }
    }

    static List<String> lines() throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(ClassTokens.class.getResourceAsStream("tokens.list"), StandardCharsets.UTF_8))) {
            return in.lines().map(String::trim).filter(l -> !l.startsWith("#")).collect(Collectors.toList());
        }
    }

    /** A class that is none of a type does not get past asSubclass. */
    interface Narrow extends Thrower {
    }

    static void narrowed(Class<?> type) {
        try {
            Class<? extends Narrow> c = type.asSubclass(Narrow.class);
            c.getDeclaredConstructor().newInstance().act();
        } catch (ClassCastException | ReflectiveOperationException | Failure e) { //@ excludes[pta+]("neverNarrow")
            return;
        }
    }

    static class NeverNarrow implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("neverNarrow"); //@ site("neverNarrow")
        }
    }

    static class OfHandle implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byHandle"); //@ site("byHandle")
        }
    }

    static Object byHandle(Class<?> type) throws Throwable {
        return MethodHandles.lookup().findConstructor(type, MethodType.methodType(void.class)).invoke();
    }

    static class OfGeneric implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byGeneric"); //@ site("byGeneric")
        }
    }

    interface Maker {
        <T extends Thrower> T make(Class<T> type);
    }

    static class PlainMaker implements Maker {
        @Override
        public <T extends Thrower> T make(Class<T> type) {
            try {
                return type.getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public interface Spi extends Thrower {
    }

    public static class OfService implements Spi {
        @Override
        public void act() throws Failure {
            throw new Failure("byService"); //@ site("byService")
        }
    }

    static <S> S load(Class<S> service) {
        return ServiceLoader.load(service).iterator().next();
    }

    /** What a superclass does with the class that a constructor hands on. */
    static class Base {
        private final Supplier<Class<?>> type;

        Base(Supplier<Class<?>> type) {
            this.type = type;
        }

        Thrower made() {
            return unchecked(type.get());
        }
    }

    static class Derived extends Base {
        Derived() {
            super(() -> OfOverride.class);
        }
    }

    static class OfOverride implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byOverride"); //@ site("byOverride")
        }
    }

    static class OfNested implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byNested"); //@ site("byNested")
        }
    }

    /** The class is asked for a method by its name, and by what it lists. */
    static class Called {
        static void named() throws Failure {
            try {
                throw new Failure("namedMethod"); //@ site("namedMethod")
            } catch (Failure e) { //@ links("namedMethod") experienced("namedMethod")
                caught++;
            }
        }
    }

    static class Listed {
        static void listed() throws Failure {
            try {
                throw new Failure("listedMethod"); //@ site("listedMethod")
            } catch (Failure e) { //@ links("listedMethod") experienced("listedMethod")
                caught++;
            }
        }
    }

    static void call(Class<?> type, boolean all) throws ReflectiveOperationException {
        if (!all) {
            type.getDeclaredMethod("named").invoke(null);
            return;
        }
        for (Method m : type.getDeclaredMethods()) {
            if (!m.isSynthetic()) {
                m.invoke(null);
            }
        }
    }

    static class Initialised {
        static {
            try {
                throw new Failure("initialised"); //@ site("initialised")
            } catch (Failure e) { //@ links("initialised") experienced("initialised")
                caught++;
            }
        }
    }

    static Object proxy(List<Class<?>> types, InvocationHandler handler) {
        return Proxy.newProxyInstance(ClassTokens.class.getClassLoader(), types.toArray(new Class<?>[0]), handler);
    }

    interface Proxied {
        void go() throws Failure;
    }

    /** What a container injects: it asks the class for what it declares. */
    static class Injected {
        OfFieldType one;
        List<OfArgument> several;
    }

    static class OfFieldType implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byFieldType"); //@ site("byFieldType")
        }
    }

    static class OfArgument implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byArgument"); //@ site("byArgument")
        }
    }

    static Injected injected(Class<Injected> of) throws ReflectiveOperationException {
        Injected made = new Injected();
        for (Field f : of.getDeclaredFields()) {
            Object value;
            if (f.getType() == List.class) {
                Type argument = ((ParameterizedType) f.getGenericType()).getActualTypeArguments()[0];
                value = List.of(((Class<?>) argument).getDeclaredConstructor().newInstance());
            } else {
                value = f.getType().getDeclaredConstructor().newInstance();
            }
            f.set(made, value);
        }
        return made;
    }

    /** Made with what its constructor needs, and what that needs. */
    static class Outermost {
        final Middle middle;

        Outermost(Middle middle) {
            this.middle = middle;
        }
    }

    static class Middle {
        final OfParameterType inner;

        Middle(OfParameterType inner) {
            this.inner = inner;
        }
    }

    static class OfParameterType implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byParameterType"); //@ site("byParameterType")
        }
    }

    static Object wired(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> c = type.getDeclaredConstructors()[0];
        List<Object> arguments = new ArrayList<>();
        for (Class<?> p : c.getParameterTypes()) {
            arguments.add(wired(p));
        }
        return c.newInstance(arguments.toArray());
    }

    /** Its members are asked for nothing. */
    static class Unasked {
        NeverAsked never;
    }

    static class NeverAsked implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("neverAsked"); //@ site("neverAsked")
        }
    }

    static class Around {
        static class OfInside implements Thrower {
            @Override
            public void act() throws Failure {
                throw new Failure("byInside"); //@ site("byInside")
            }
        }
    }

    sealed interface Family extends Thrower permits Branch {
    }

    sealed interface Branch extends Family permits OfPermitted {
    }

    static final class OfPermitted implements Branch {
        @Override
        public void act() throws Failure {
            throw new Failure("byPermitted"); //@ site("byPermitted")
        }
    }

    static Thrower leaf(Class<?> type) {
        return type.isSealed() ? leaf(type.getPermittedSubclasses()[0]) : unchecked(type);
    }

    static OfResultType declaredResult() {
        return null;
    }

    static class OfResultType implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byResultType"); //@ site("byResultType")
        }
    }

    static void declared() throws ReflectiveOperationException {
        Injected all = injected(Injected.class);
        run(all.one);
        run(all.several.get(0));
        run(((Outermost) wired(Outermost.class)).middle.inner);
        Unasked.class.getDeclaredConstructor().newInstance();
        for (Class<?> c : Around.class.getDeclaredClasses()) {
            run(unchecked(c));
        }
        run(leaf(Family.class));
        run(unchecked(ClassTokens.class.getDeclaredMethod("declaredResult").getReturnType()));
    }

    /** What is asked of a class that inherits it. */
    public static class Inheriting extends Inherited {
    }

    public static class Inherited {
        public OfInheritedField field;

        public OfInheritedResult result() {
            return null;
        }
    }

    static class OfInheritedField implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byInheritedField"); //@ site("byInheritedField")
        }
    }

    static class OfInheritedResult implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byInheritedResult"); //@ site("byInheritedResult")
        }
    }

    /** The argument of the class that it extends, by way of a Type. */
    static class Listing extends ArrayList<OfSuperArgument> {
    }

    static class OfSuperArgument implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("bySuperArgument"); //@ site("bySuperArgument")
        }
    }

    static Type argument(Type of) {
        return ((ParameterizedType) of).getActualTypeArguments()[0];
    }

    /** The name of a type parameter has what begins the name of a class elsewhere. */
    static class Bounded<LEAF extends OfBound> {
    }

    static class OfBound implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byBound"); //@ site("byBound")
        }
    }

    static class Generic<T> {
        class OfInner implements Thrower {
            @Override
            public void act() throws Failure {
                throw new Failure("byInnerOfGeneric"); //@ site("byInnerOfGeneric")
            }
        }
    }

    static List<Generic<String>.OfInner> inner;

    static class OfEnclosing implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("byEnclosing"); //@ site("byEnclosing")
        }

        static class Inside {
        }
    }

    static void inherited() throws ReflectiveOperationException {
        run(unchecked(Inheriting.class.getField("field").getType()));
        run(unchecked(Inheriting.class.getMethod("result").getReturnType()));
        run(unchecked((Class<?>) argument(Listing.class.getGenericSuperclass())));
        run(unchecked((Class<?>) Bounded.class.getTypeParameters()[0].getBounds()[0]));
        Type type = argument(ClassTokens.class.getDeclaredField("inner").getGenericType());
        Class<?> raw = (Class<?>) ((ParameterizedType) type).getRawType();
        run((Thrower) raw.getDeclaredConstructors()[0].newInstance(new Generic<String>()));
        run(unchecked(OfEnclosing.Inside.class.getEnclosingClass()));
    }

    static int run() throws Throwable {
        caught = 0;
        declared();
        inherited();
        new Pool(Member.class).go();
        run(new Factory(OfFactory.class).make());
        Registry registry = new Registry();
        registry.register("a", Registered.class);
        for (Thrower t : registry.all("a")) {
            run(t);
        }
        System.identityHashCode(NeverMade.class);
        run(unchecked(Kind.valueOf("ONE").type));
        each(TYPES);
        Arrays.asList(OfLambda.class).forEach(c -> run(unchecked(c)));
        Supplier<Class<?>> supplier = () -> OfSupplier.class;
        run(unchecked(supplier.get()));
        new OfTemplate().go();
        Function<Class<?>, Thrower> make = ClassTokens::unchecked;
        run(make.apply(OfReference.class));
        run(unchecked(Class.forName(named)));
        for (String n : NAMES) {
            run(unchecked(Class.forName(n)));
        }
        for (String l : lines()) {
            run(unchecked(Class.forName(l)));
            narrowed(Class.forName(l).asSubclass(Thrower.class));
        }
        run((Thrower) byHandle(OfHandle.class));
        Maker maker = new PlainMaker();
        run(maker.make(OfGeneric.class));
        run(load(Spi.class));
        run(new Derived().made());
        Map<String, Class<?>[]> nested = new HashMap<>();
        nested.put("n", new Class<?>[] {OfNested.class});
        for (Class<?>[] list : nested.values()) {
            each(list);
        }
        call(Called.class, false);
        call(Listed.class, true);
        String driver = String.join("", "pointsto.ClassTokens$Initialised");
        Class.forName(driver);
        Proxied p = (Proxied) proxy(List.of(Proxied.class), (o, m, a) -> {
            throw new Failure("proxied"); //@ site("proxied")
        });
        try {
            p.go();
        } catch (Failure e) { //@ includes("proxied") experienced("proxied")
            caught++;
        }
        return caught;
    }
}
