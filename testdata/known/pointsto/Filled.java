package pointsto;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Fields that no code of their class writes, and a framework does: they are marked by annotations. */
public class Filled {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Inject {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface InjectMocks {
    }

    /** An annotation that nobody knows. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Wanted {
    }

    static class Part implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("part"); //@ site("part")
        }
    }

    static class Service implements Thrower {
        Service(String name) {
        }

        @Override
        public void act() throws Failure {
            throw new Failure("service"); //@ site("service")
        }
    }

    static class Base {
        @Inject
        private Part part;

        int base() {
            try {
                part.act();
            } catch (Failure e) { //@ links("part") experienced("part")
                return 1;
            }
            return 0;
        }
    }

    static class Fixture extends Base {
        @Wanted
        Part wanted;

        @Inject
        static Part shared;

        @Inject
        Part[] parts;

        @InjectMocks
        Service service = null;

        @Wanted
        Thrower own = new Own();

        int run() {
            int caught = base();
            try {
                wanted.act();
            } catch (Failure e) { //@ includes("part") experienced("part")
                caught++;
            }
            try {
                shared.act();
            } catch (Failure e) { //@ includes("part") experienced("part")
                caught++;
            }
            try {
                parts[0].act();
            } catch (Failure e) { //@ includes("part") experienced("part")
                caught++;
            }
            try {
                service.act();
            } catch (Failure e) { //@ links("service") experienced("service")
                caught++;
            }
            try {
                own.act();
            } catch (Failure e) { //@ includes("own") experienced("own")
                caught++;
            }
            return caught;
        }
    }

    static class Own implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("own"); //@ site("own")
        }
    }

    /** The framework: it looks at types, and calls no constructor by its name. */
    static Object valueOf(Class<?> type) throws ReflectiveOperationException {
        if (type.isArray()) {
            return new Part[] {new Part()};
        }
        if (type == Part.class) {
            return new Part();
        }
        return type.getDeclaredConstructors()[0].newInstance("s");
    }

    static void fill(Object o) throws ReflectiveOperationException {
        for (Class<?> c = o.getClass(); c != Object.class; c = c.getSuperclass()) {
            for (Field f : c.getDeclaredFields()) {
                f.setAccessible(true);
                Object target = Modifier.isStatic(f.getModifiers()) ? null : o;
                if (f.getAnnotations().length > 0 && f.get(target) == null) {
                    f.set(target, valueOf(f.getType()));
                }
            }
        }
    }

    static int run() throws ReflectiveOperationException {
        Fixture f = new Fixture();
        fill(f);
        return f.run();
    }
}
