package pointsto;

import java.io.IOException;
import java.io.InputStream;

/** The VM asks the loader of a class for those that the class names, and passes on what it throws. */
public class Loaders {
    public static class Base {
        public Base() {
        }
    }

    public static class Part {
    }

    public static class Whole extends Base {
        Part part;

        public Whole(Part part) {
        }

        Part method() {
            return part;
        }

        class Inner {
        }
    }

    /** Has classes of its own, and refuses one more. */
    static class Refusing extends ClassLoader {
        final String refused;

        Refusing(Class<?> refused) {
            this.refused = refused.getName();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(refused)) {
                throw new Broken(name); //@ site("refused")
            }
            return name.startsWith("pointsto.Loaders$Whole") ? define(name) : super.loadClass(name, resolve);
        }

        Class<?> define(String name) {
            try (InputStream in = Loaders.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static Class<?> whole() throws ClassNotFoundException {
        return new Refusing(Part.class).loadClass("pointsto.Loaders$Whole");
    }

    public static int run() throws Exception {
        int caught = 0;
        Class<?> whole = whole();
        try {
            whole.getDeclaredMethods();
        } catch (Broken e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        try {
            whole.getDeclaredFields();
        } catch (Broken e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        try {
            whole.getDeclaredConstructors();
        } catch (Broken e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        Class<?> around = new Refusing(Whole.Inner.class).loadClass("pointsto.Loaders$Whole");
        try {
            around.getDeclaredClasses();
        } catch (Broken e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        Class<?> inner = new Refusing(Whole.class).loadClass("pointsto.Loaders$Whole$Inner");
        try {
            inner.getDeclaringClass();
        } catch (Broken e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        try {
            new Refusing(Base.class).define("pointsto.Loaders$Whole");
        } catch (Broken e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        return caught;
    }
}
