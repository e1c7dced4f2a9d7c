package pointsto;

import java.util.Objects;

/** Classes that the program loads by names of which it does not always put all pieces together. */
public class Pieced {
    /** What all of the names lead to. */
    static int run(Thrower t) {
        try {
            t.act();
        } catch (Failure e) { //@ includes("asSkipped", "asRepeated", "asRead", "asElse", "asElseGet", "asTrimmed", "asLocal", "asOrdered", "asElement", "asLambda", "asReference", "asOverride") experienced("asSkipped", "asRepeated", "asRead", "asElse", "asElseGet", "asTrimmed", "asLocal", "asOrdered", "asElement", "asLambda", "asReference", "asOverride")
            return 1;
        }
        return 0;
    }

    static Thrower make(Class<?> c) throws Exception {
        return (Thrower) c.getDeclaredConstructor().newInstance();
    }

    static class Skipped implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asSkipped"); //@ site("asSkipped")
        }
    }

    static String skipped(boolean more) {
        StringBuilder name = new StringBuilder("pointsto.Pieced$Skipped");
        if (more) {
            name.append("More");
        }
        return name.toString();
    }

    static class RepeatedXX implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asRepeated"); //@ site("asRepeated")
        }
    }

    static String repeated(int times) {
        StringBuilder name = new StringBuilder("pointsto.Pieced$Repeated");
        for (int i = 0; i < times; i++) {
            name.append("X");
        }
        return name.toString();
    }

    static class Read implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asRead"); //@ site("asRead")
        }
    }

    static String read() {
        StringBuilder begin = new StringBuilder().append("pointsto.Pieced$").append("Read");
        String name = begin.toString();
        return begin.append("Later").length() > 0 ? name : "";
    }

    static class OrElse implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asElse"); //@ site("asElse")
        }
    }

    static class GetElse implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asElseGet"); //@ site("asElseGet")
        }
    }

    static String given;

    static void give() {
        given = "None";
    }

    static class Trimmed implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asTrimmed"); //@ site("asTrimmed")
        }
    }

    static class LocalInner implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asLocal"); //@ site("asLocal")
        }
    }

    static Class<?> local() {
        class Local {
        }
        return Local.class;
    }

    static class Ordered implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asOrdered"); //@ site("asOrdered")
        }
    }

    static String ordered() {
        Object[] pieces = new Object[2];
        pieces[1] = "Ordered";
        pieces[0] = "pointsto.Pieced";
        return String.format("%s$%s", pieces);
    }

    static class ElementLater implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asElement"); //@ site("asElement")
        }
    }

    static final String[] ENDS = {"First", "Second"};

    static String end() {
        ENDS[1] = "Later";
        return ENDS[1];
    }

    interface Ending {
        String end();
    }

    static class FixedEnding implements Ending {
        @Override
        public String end() {
            return "Fixed";
        }
    }

    static class OfLambda implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asLambda"); //@ site("asLambda")
        }
    }

    static Class<?> ended(Ending e) throws Exception {
        return Class.forName("pointsto.Pieced$Of" + e.end());
    }

    static class Loads {
        static Class<?> load(String name) throws ReflectiveOperationException {
            return Class.forName("pointsto.Pieced$Re" + name);
        }
    }

    static class LoadsBelow extends Loads {
    }

    interface Load {
        Class<?> of(String name) throws Exception;
    }

    static class ReferredTo implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asReference"); //@ site("asReference")
        }
    }

    interface Take {
        void take(String name) throws Exception;
    }

    static Thrower made;

    static class Above {
        void load(String name) throws Exception {
            made = null;
        }
    }

    static class Below extends Above {
        @Override
        void load(String name) throws Exception {
            made = make(Class.forName("pointsto.Pieced$Over" + name));
        }
    }

    static class OverLambda implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("asOverride"); //@ site("asOverride")
        }
    }

    static class OverFixed implements Thrower {
        @Override
        public void act() {
        }
    }

    static String lower(String s) {
        return s.substring(1);
    }

    public static int run() throws Exception {
        int caught = run(make(Class.forName(skipped(false))));
        caught += run(make(Class.forName(repeated(2))));
        caught += run(make(Class.forName(read())));
        caught += run(make(Class.forName("pointsto.Pieced$Or" + Objects.requireNonNullElse(given, "Else"))));
        caught += run(make(Class.forName(
                "pointsto.Pieced$Get" + Objects.requireNonNullElseGet(given, () -> "Else"))));
        caught += run(make(Class.forName("""
                pointsto.Pieced$Trimmed
                """.trim())));
        caught += run(make(Class.forName("pointsto.Pieced$" + local().getSimpleName() + "Inner")));
        caught += run(make(Class.forName(ordered())));
        caught += run(make(Class.forName("pointsto.Pieced$Element" + end())));
        String ending = lower(" Lambda");
        Class.forName("pointsto.Pieced$" + new FixedEnding().end() + "Ending");
        caught += run(make(ended(() -> ending)));
        Loads.load("ad");
        Load load = LoadsBelow::load;
        caught += run(make(load.of(lower(" ferredTo"))));
        new Below().load("Fixed");
        Above above = new Below();
        Take take = above::load;
        take.take(lower(" Lambda"));
        return caught + run(made);
    }
}
