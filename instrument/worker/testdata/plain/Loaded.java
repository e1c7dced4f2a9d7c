import java.io.ByteArrayOutputStream;
import java.io.InputStream;

/** Class loaders that define a class themselves which the class path has, too. */
public class Loaded {
    static final int ORIGINAL = Integer.parseInt("5eed0001", 16); // no constant: this class is not to be rewritten

    /** What is rewritten has the number of its class here. */
    public static class Body implements Runnable {
        static int number = 0x5eed0001;

        public void run() {
            System.out.println(number == ORIGINAL ? "as it is" : "rewritten");
        }
    }

    /** Asks its parent for what begins with one of the prefixes, and defines all else from the class path. */
    static class Loader extends ClassLoader {
        final String[] parents;

        Loader(ClassLoader parent, String... parents) {
            super(parent);
            this.parents = parents;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            for (String p : parents) {
                if (name.startsWith(p)) {
                    return super.loadClass(name, resolve);
                }
            }
            Class<?> before = findLoadedClass(name);
            if (before != null) {
                return before;
            }
            try (InputStream in = Loaded.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                byte[] buffer = new byte[1000];
                for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                    out.write(buffer, 0, n);
                }
                return defineClass(name, out.toByteArray(), 0, out.size());
            } catch (Exception e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        // that two loaders are equal says nothing
        @Override
        public boolean equals(Object o) {
            return o instanceof Loader;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static void run(ClassLoader loader) throws Exception {
        ((Runnable) loader.loadClass("Loaded$Body").getConstructor().newInstance()).run();
    }

    // only the JDK's classes come from the parent
    public static void testClosed() throws Exception {
        run(new Loader(null, "java."));
    }

    // its parent is such a loader
    public static void testBelowClosed() throws Exception {
        run(new Loader(new Loader(null, "java."), "java.", "catchlens."));
    }

    public static void testOpen() throws Exception {
        run(new Loader(null, "java.", "catchlens."));
    }

    public static void testOfTheJdk() throws Exception {
        run(Loaded.class.getClassLoader());
    }
}
