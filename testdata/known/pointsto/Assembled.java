package pointsto;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.text.MessageFormat;
import java.util.Locale;
import java.util.Map;

/** Classes that the program loads by names which it puts together, or that annotations name. */
public class Assembled {
    static final String PREFIX = Assembled.class.getName() + "$";

    /** What all of the names lead to. */
    static int run(Thrower t) {
        try {
            t.act();
        } catch (Failure e) { //@ includes("asConcatenation", "asParameter", "asFormat", "asPlaces", "asMessage", "asChain", "asStatements", "asPackage", "asReplace", "asJoin", "asConcat", "asPrefix", "asSuffix", "asArray", "asBranch", "asCharacter", "asOwnClass", "asDefault", "asAnnotation", "asAnnotatedMethod", "asAnnotatedName", "asAnnotatedDefault", "asNestedAnnotation", "asObject", "asThis") excludes[rta+]("neverNamed", "neverCast", "neverRead") experienced("asConcatenation", "asParameter", "asFormat", "asPlaces", "asMessage", "asChain", "asStatements", "asPackage", "asReplace", "asJoin", "asConcat", "asPrefix", "asSuffix", "asArray", "asBranch", "asCharacter", "asOwnClass", "asDefault", "asAnnotation", "asAnnotatedMethod", "asAnnotatedName", "asAnnotatedDefault", "asNestedAnnotation", "asObject", "asThis")
            return 1;
        }
        return 0;
    }

    static Thrower make(Class<?> c) throws Exception {
        return (Thrower) c.getDeclaredConstructor().newInstance();
    }

    static class Concatenated implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asConcatenation"); //@ site("asConcatenation")
        }
    }

    static class Passed implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asParameter"); //@ site("asParameter")
        }
    }

    static Thrower passed(String name) throws Exception {
        return make(Class.forName("pointsto." + name));
    }

    static class Formatted implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asFormat"); //@ site("asFormat")
        }
    }

    static class Placed implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asPlaces"); //@ site("asPlaces")
        }
    }

    static class Message implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asMessage"); //@ site("asMessage")
        }
    }

    static class Chained implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asChain"); //@ site("asChain")
        }
    }

    static class Stated implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asStatements"); //@ site("asStatements")
        }
    }

    static String stated(boolean inside, String... parts) {
        StringBuilder name = new StringBuilder("pointsto.");
        if (inside) {
            name.append("Assembled$");
        }
        name.append("Stated");
        return name.toString();
    }

    static class Packaged implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asPackage"); //@ site("asPackage")
        }
    }

    interface ReplacedInterface {
    }

    static class ReplacedImpl implements ReplacedInterface, Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asReplace"); //@ site("asReplace")
        }
    }

    static String implementation(Class<?> of) {
        return of.getName().replace("Interface", "Impl");
    }

    static class Joined implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asJoin"); //@ site("asJoin")
        }
    }

    static class Concat implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asConcat"); //@ site("asConcat")
        }
    }

    /** Of its name the program knows how it begins. */
    static class PrefixRed implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asPrefix"); //@ site("asPrefix")
        }
    }

    /** Its name begins in the same way, and what is made of it is no Thrower. */
    static class PrefixOther {
        static Thrower other = new Thrower() {
            @Override
            public void act() throws Failure {
                throw new Failure("neverCast"); //@ site("neverCast")
            }
        };
    }

    static Thrower prefixed(String color) throws Exception {
        Class<?> c = Class.forName(PREFIX + "Prefix" + color);
        return (Thrower) c.getDeclaredConstructor().newInstance();
    }

    /** Of its name the program knows how it ends. */
    static class BlueSuffix implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asSuffix"); //@ site("asSuffix")
        }
    }

    static Thrower suffixed(Map<String, String> names) throws Exception {
        return (Thrower) Class.forName(names.get("blue") + "Suffix").getDeclaredConstructor().newInstance();
    }

    static class FirstOfArray implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asArray"); //@ site("asArray")
        }
    }

    private static final String[] NAMES = {"FirstOfArray"};

    static class Branched implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asBranch"); //@ site("asBranch")
        }
    }

    static String branched(int n) {
        String kind = n > 0 ? "Branched" : "Branches";
        return PREFIX + kind;
    }

    static class Numbered2 implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asCharacter"); //@ site("asCharacter")
        }
    }

    static String numbered(char between, int number) {
        return new StringBuilder().append("pointsto.Assembled").append(between).append("Numbered").append(number)
                .toString();
    }

    /** Makes an object of the class that stands inside of its own class. */
    static class Base {
        Thrower inner() throws Exception {
            return make(Class.forName(getClass().getName() + "Inner"));
        }
    }

    static class Derived extends Base {
    }

    static class DerivedInner implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asOwnClass"); //@ site("asOwnClass")
        }
    }

    static class Defaulted implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asDefault"); //@ site("asDefault")
        }
    }

    /** No piece of a name leads here. */
    static class NeverNamed implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("neverNamed"); //@ site("neverNamed")
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Impl {
        Class<?>[] value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Named {
        String value() default "pointsto.Assembled$OfDefault";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Unread {
        Class<?> value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Many {
        Impl[] value();
    }

    static class OfClass implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asAnnotation"); //@ site("asAnnotation")
        }
    }

    static class OfMethod implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asAnnotatedMethod"); //@ site("asAnnotatedMethod")
        }
    }

    static class OfName implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asAnnotatedName"); //@ site("asAnnotatedName")
        }
    }

    static class OfDefault implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asAnnotatedDefault"); //@ site("asAnnotatedDefault")
        }
    }

    static class OfNested implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asNestedAnnotation"); //@ site("asNestedAnnotation")
        }
    }

    static class OfUnread implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("neverRead"); //@ site("neverRead")
        }
    }

    @Impl(OfClass.class)
    @Named("pointsto.Assembled$OfName")
    interface Service {
        @Impl(OfMethod.class)
        void serve();
    }

    @Named
    @Many({@Impl(OfNested.class)})
    @Unread(OfUnread.class)
    interface Other {
    }

    static Thrower made;

    /** Made once, and then again by who is given it as an Object. */
    static class Original {
        Original(int number) {
        }

        Original() {
            made = new OfObject();
        }
    }

    static class OfObject implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asObject"); //@ site("asObject")
        }
    }

    /** Gives its own class to who makes an object of it. */
    abstract static class Copied implements Runnable {
        @Override
        public void run() {
            copy(getClass());
        }
    }

    static class Copy extends Copied {
        Copy(int number) {
        }

        Copy() {
            made = new OfThis();
        }
    }

    static class OfThis implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asThis"); //@ site("asThis")
        }
    }

    static void copy(Class<?> c) {
        try {
            c.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void copyOf(Object o) {
        copy(o.getClass());
    }

    static int copied() {
        copyOf(new Original(1));
        int caught = run(made);
        new Copy(1).run();
        return caught + run(made);
    }

    static int annotated() throws Exception {
        int caught = 0;
        for (Class<?> c : Service.class.getAnnotation(Impl.class).value()) {
            caught += run(make(c));
        }
        caught += run(make(Service.class.getMethod("serve").getAnnotation(Impl.class).value()[0]));
        for (Class<?> of : new Class<?>[] {Service.class, Other.class}) {
            caught += run(make(Class.forName(of.getAnnotation(Named.class).value())));
        }
        return caught + run(make(Other.class.getAnnotation(Many.class).value()[0].value()[0]));
    }

    public static int run() throws Exception {
        int caught = run(make(Class.forName(PREFIX + "Concatenated")));
        caught += run(passed("Assembled$Passed"));
        caught += run(make(Class.forName(String.format("%s.Assembled$%s", "pointsto", "Formatted"))));
        caught += run(make(Class.forName("%2$s$%1$s".formatted("Placed", Assembled.class.getName()))));
        caught += run(make(Class.forName(MessageFormat.format("pointsto.{1}${0}", "Message", "Assembled"))));
        caught += run(make(Class.forName(
                new StringBuilder("pointsto.").append(Assembled.class.getSimpleName()).append("$Chained").toString())));
        caught += run(make(Class.forName(stated(true))));
        caught += run(make(Class.forName(Assembled.class.getPackage().getName() + ".Assembled$Packaged")));
        caught += run(make(Class.forName(implementation(ReplacedInterface.class))));
        caught += run(make(Class.forName(String.join("$", "pointsto.Assembled", "Joined"))));
        caught += run(make(Class.forName("pointsto.".concat("Assembled$Concat"))));
        caught += run(prefixed(Character.toUpperCase('r') + "ed"));
        caught += run(suffixed(Map.of("blue", "pointsto.Assembled$Blue")));
        for (String name : NAMES) {
            caught += run(make(Class.forName(PREFIX + name)));
        }
        caught += run(make(Class.forName(branched(1))));
        caught += run(make(Class.forName(numbered('$', 2))));
        caught += run(new Derived().inner());
        caught += run(make(Class.forName(PREFIX + "Def" + System.getProperty("assembled.kind", "AULTED".toLowerCase(Locale.ROOT)))));
        return caught + annotated() + copied();
    }
}
