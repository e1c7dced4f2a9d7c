import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes a main method that calls the tests of a project, one after the other, so that every analysis
 * starts at the same place: MakeDriver TEST-CLASSES-FOLDER SOURCE-FOLDER, with the project's class path
 * as its own.
 *
 * <p>Tests need not be public, so there is a driver class in each package. Parameters are null, 0 or
 * false. Left out are classes that no code of their package can make: private or abstract ones, inner
 * ones, and those without a constructor that takes nothing; and tests with a parameter whose type that
 * code cannot name.
 */
public final class MakeDriver {
    private static final Set<String> KINDS = Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory",
            "BeforeEach", "AfterEach", "BeforeAll", "AfterAll", "Before", "After", "BeforeClass", "AfterClass");

    public static void main(String[] args) throws Exception {
        Path classes = Path.of(args[0]);
        Map<String, List<String>> calls = new TreeMap<>();
        List<String> names;
        try (Stream<Path> files = Files.walk(classes)) {
            names = files.map(f -> classes.relativize(f).toString()).filter(f -> f.endsWith(".class"))
                    .map(f -> f.substring(0, f.length() - 6).replace('/', '.')).sorted().collect(Collectors.toList());
        }
        int tests = 0;
        for (String name : names) {
            Class<?> c;
            try {
                c = Class.forName(name, false, MakeDriver.class.getClassLoader());
                tests += add(c, calls.computeIfAbsent(c.getPackageName(), p -> new ArrayList<>()));
            } catch (LinkageError e) {
                System.err.println(name + ": " + e);
            }
        }
        write(Path.of(args[1]), calls);
        System.out.println(tests);
    }

    private static int add(Class<?> c, List<String> calls) {
        int mods = c.getModifiers();
        if (Modifier.isAbstract(mods) || Modifier.isPrivate(mods) || c.isAnonymousClass() || c.isLocalClass()
                || c.isMemberClass() && !Modifier.isStatic(mods) || !constructible(c)) {
            return 0;
        }
        int n = 0;
        Set<String> done = new TreeSet<>();
        for (Class<?> d = c; d != null && d != Object.class; d = d.getSuperclass()) {
            for (Method m : d.getDeclaredMethods()) {
                boolean visible = Modifier.isPublic(m.getModifiers())
                        || !Modifier.isPrivate(m.getModifiers()) && d.getPackageName().equals(c.getPackageName());
                if (!visible || m.isBridge() || m.isSynthetic() || !isTest(c, m) || !nameable(m, c) || !done.add(m.getName() + signature(m))) {
                    continue;
                }
                String on = Modifier.isStatic(m.getModifiers()) ? d.getCanonicalName() : "new " + c.getCanonicalName() + "()";
                if (Modifier.isStatic(m.getModifiers()) && Modifier.isPrivate(d.getModifiers())) {
                    continue;
                }
                calls.add(on + "." + m.getName() + "(" + signature(m) + ");");
                n++;
            }
        }
        return n;
    }

    private static boolean constructible(Class<?> c) {
        for (Constructor<?> k : c.getDeclaredConstructors()) {
            if (k.getParameterCount() == 0 && !Modifier.isPrivate(k.getModifiers())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTest(Class<?> c, Method m) {
        for (Annotation a : m.getAnnotations()) {
            if (KINDS.contains(a.annotationType().getSimpleName())) {
                return true;
            }
        }
        for (Class<?> s = c; s != null; s = s.getSuperclass()) {
            if (s.getName().equals("junit.framework.TestCase")) {
                return m.getParameterCount() == 0 && (m.getName().startsWith("test") || m.getName().equals("setUp") || m.getName().equals("tearDown"));
            }
        }
        return false;
    }

    /** Whether code of the package of a class can name the types of a method's parameters. */
    private static boolean nameable(Method m, Class<?> from) {
        for (Class<?> p : m.getParameterTypes()) {
            Class<?> t = p;
            while (t.isArray()) {
                t = t.getComponentType();
            }
            boolean near = t.getPackageName().equals(from.getPackageName());
            for (; t != null; t = t.getEnclosingClass()) {
                int mods = t.getModifiers();
                if (Modifier.isPrivate(mods) || !near && !Modifier.isPublic(mods)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The arguments of a call. */
    private static String signature(Method m) {
        List<String> args = new ArrayList<>();
        for (Class<?> p : m.getParameterTypes()) {
            args.add(p == boolean.class ? "false" : p.isPrimitive() ? "(" + p.getName() + ") 0" : "(" + p.getCanonicalName() + ") null");
        }
        return String.join(", ", args);
    }

    private static void write(Path out, Map<String, List<String>> calls) throws IOException {
        List<String> drivers = new ArrayList<>();
        for (Map.Entry<String, List<String>> e : calls.entrySet()) {
            if (e.getValue().isEmpty()) {
                continue;
            }
            StringBuilder b = new StringBuilder(e.getKey().isEmpty() ? "" : "package " + e.getKey() + ";\n\n");
            b.append("public class PeerDriver {\n");
            List<String> list = e.getValue();
            for (int i = 0; i < list.size(); i++) {
                b.append("    static void call").append(i).append("() throws Throwable {\n        ").append(list.get(i)).append("\n    }\n\n");
            }
            b.append("    public static void run() throws Throwable {\n");
            for (int i = 0; i < list.size(); i++) {
                b.append("        call").append(i).append("();\n");
            }
            b.append("    }\n}\n");
            Path dir = out.resolve(e.getKey().replace('.', '/'));
            Files.createDirectories(dir);
            Files.writeString(dir.resolve("PeerDriver.java"), b.toString());
            drivers.add((e.getKey().isEmpty() ? "" : e.getKey() + ".") + "PeerDriver");
        }
        StringBuilder b = new StringBuilder("package peerbench;\n\npublic class Main {\n    public static void main(String[] args) throws Throwable {\n");
        for (String d : drivers) {
            b.append("        ").append(d).append(".run();\n");
        }
        Files.createDirectories(out.resolve("peerbench"));
        Files.writeString(out.resolve("peerbench/Main.java"), b.append("    }\n}\n").toString());
    }
}
