import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
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
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;

/**
 * Writes the artificial main method of fragment class analysis (Rountev et al. 2004, section 5): it
 * calls what tests call in the JDK, on objects of each type that occurs, in any order. MakeMain FILE
 * CONSTRUCTED TEXTS CLASS-FILE...: the class of which the constructors are called besides may be "".
 *
 * <p>Run, it does so by chance, with the numbers and texts of the tests, and the lines of the file TEXTS,
 * which are as in the source code of a text. Methods that only subclasses
 * may call are left out, and so are classes of the tests.
 */
public final class MakeMain {
    private final Map<String, Member> calls = new TreeMap<>();
    private final Set<String> texts = new TreeSet<>();
    private final Set<Number> ints = new TreeSet<>();
    private final Set<Double> doubles = new TreeSet<>();
    private List<String> written;
    private final Map<String, Class<?>> types = new TreeMap<>(); // by name of the variable

    public static void main(String[] args) throws Exception {
        MakeMain m = new MakeMain();
        if (!args[1].isEmpty()) {
            for (Constructor<?> c : Class.forName(args[1]).getConstructors()) {
                m.add(c);
            }
        }
        m.written = Files.readAllLines(Path.of(args[2]));
        for (int i = 3; i < args.length; i++) {
            m.read(Path.of(args[i]));
        }
        try (PrintWriter out = new PrintWriter(args[0], "UTF-8")) {
            m.write(out);
        }
        System.out.println(m.calls.size());
    }

    private void read(Path file) throws IOException {
        new ClassReader(Files.readAllBytes(file)).accept(new ClassVisitor(Opcodes.ASM8) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM8) {
                    @Override
                    public void visitMethodInsn(int op, String owner, String name, String desc, boolean itf) {
                        addCall(owner, name, desc);
                    }

                    @Override
                    public void visitFieldInsn(int op, String owner, String name, String desc) {
                        if (op == Opcodes.GETSTATIC && !owner.startsWith("gnu/")) {
                            addField(owner, name);
                        }
                    }

                    @Override
                    public void visitIntInsn(int op, int value) { ints.add(value); }

                    @Override
                    public void visitLdcInsn(Object x) {
                        if (x instanceof String && ((String) x).length() < 2000) {
                            texts.add((String) x);
                        } else if (x instanceof Integer) {
                            ints.add((Integer) x);
                        } else if (x instanceof Number) {
                            doubles.add(((Number) x).doubleValue());
                        }
                    }
                };
            }
        }, 0);
    }

    private void addField(String owner, String name) {
        try {
            Field f = Class.forName(owner.replace('/', '.')).getField(name);
            if (!f.getType().isPrimitive() && variable(f.getType()) != null) {
                calls.put(f.toString(), f);
            }
        } catch (ReflectiveOperationException | LinkageError e) {
            // not public
        }
    }

    private void addCall(String owner, String name, String desc) {
        if (owner.startsWith("gnu/") || owner.startsWith("[")) {
            return;
        }
        try {
            for (Class<?> c = Class.forName(owner.replace('/', '.')); c != null; c = c.getSuperclass()) {
                for (Executable x : name.equals("<init>") ? c.getConstructors() : c.getMethods()) {
                    String d = x instanceof Method ? Type.getMethodDescriptor((Method) x)
                            : Type.getConstructorDescriptor((Constructor<?>) x);
                    if (d.equals(desc) && (x instanceof Constructor || x.getName().equals(name))) {
                        add(x);
                        return;
                    }
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(owner, e);
        }
    }

    private void add(Executable x) {
        boolean nameable = variable(x.getDeclaringClass()) != null;
        for (Class<?> p : x.getParameterTypes()) {
            nameable &= p.isPrimitive() || variable(p) != null;
        }
        if (nameable && !Modifier.isAbstract(x.getDeclaringClass().getModifiers() & (x instanceof Constructor ? -1 : 0))) {
            calls.put(x.toString(), x);
        }
    }

    /** The variable for a type, null for one that code outside its package cannot name. */
    private String variable(Class<?> t) {
        Class<?> element = t;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        if (!element.isPrimitive() && !Modifier.isPublic(element.getModifiers())) {
            return null;
        }
        String name = variableName(t);
        types.put(name, t);
        return name;
    }

    private String value(Class<?> t) {
        return t.isPrimitive() ? t + "Value()" : "(" + t.getCanonicalName() + ") " + variable(t);
    }

    private String arguments(Executable x) {
        List<String> out = new ArrayList<>();
        for (Class<?> p : x.getParameterTypes()) {
            out.add(value(p));
        }
        return "(" + String.join(", ", out) + ")";
    }

    /** The statement of a call, or of a field that is read. */
    private String statement(Member m) {
        String name = m.getDeclaringClass().getCanonicalName();
        if (m instanceof Constructor) {
            return variable(m.getDeclaringClass()) + " = new " + name + arguments((Constructor<?>) m) + ";";
        }
        Class<?> result = m instanceof Field ? ((Field) m).getType() : ((Method) m).getReturnType();
        String on = Modifier.isStatic(m.getModifiers()) ? name : variable(m.getDeclaringClass());
        String what = on + "." + m.getName() + (m instanceof Method ? arguments((Method) m) : "");
        String to = result.isPrimitive() ? null : variable(result);
        if (to != null) {
            what = to + " = (" + result.getCanonicalName() + ") " + what;
        }
        return on.equals(name) ? what + ";" : "if (" + on + " != null) " + what + ";";
    }

    private void write(PrintWriter out) {
        List<String> statements = new ArrayList<>();
        calls.values().forEach(m -> statements.add(statement(m)));
        variable(String.class);
        variable(byte[].class);
        out.println("package artificial;\n@SuppressWarnings({\"unchecked\", \"rawtypes\", \"deprecation\"})\n"
                + "public class Main {");
        types.forEach((v, t) -> out.println("static " + t.getCanonicalName() + " " + v + ";"));
        out.println("public static byte[][] bytes = {{1, 2, 3}};");
        out.println("static final java.util.Random random = new java.util.Random(1);");
        out.println("static final boolean[] MADE = new boolean[" + statements.size() + "];");
        // For a while some calls are made alone: with all of them, most objects would be closed or empty.
        out.println("static void choose() { int of = 2 + random.nextInt(4); for (int i = 0; i < MADE.length; i++) "
                + "MADE[i] = random.nextInt(of) > 0; }");
        constants(out);
        out.println("public static void main(String[] args) {\nfor (int step = Integer.parseInt(args[0]); "
                + "step > 0; step--) {\ntry {\nint next = random.nextInt(MADE.length);\nif (step % 500 == 0) choose();"
                + "\nif (random.nextBoolean()) Values.next(); else switch (MADE[next] ? next : -1) {");
        for (int i = 0; i < statements.size(); i++) {
            out.println("case " + i + ": " + statements.get(i) + " break;");
        }
        out.println("} } catch (Throwable t) { }\n}\n}\n}");
        values(out);
    }

    private void constants(PrintWriter out) {
        out.println("static int intValue() { int r = random.nextInt(4); return r == 0 ? INTS[random.nextInt(INTS.length)]"
                + " : r == 1 ? random.nextInt() >> random.nextInt(32) : random.nextInt(40) - 3; }");
        out.println("static long longValue() { return random.nextBoolean() ? intValue() : random.nextLong(); }");
        out.println("static double doubleValue() { int r = random.nextInt(4); return r == 0 ? "
                + "DOUBLES[random.nextInt(DOUBLES.length)] : r == 1 ? Double.longBitsToDouble(random.nextLong()) : "
                + "r == 2 ? intValue() : random.nextGaussian() * 1000; }");
        out.println("static float floatValue() { return (float) doubleValue(); }");
        out.println("static short shortValue() { return (short) intValue(); }");
        out.println("static byte byteValue() { return (byte) intValue(); }");
        out.println("static boolean booleanValue() { return random.nextBoolean(); }");
        out.println("static char charValue() { String s = TEXTS[random.nextInt(TEXTS.length)]; "
                + "return s.isEmpty() ? (char) random.nextInt(1 << 16) : s.charAt(random.nextInt(s.length())); }");
        List<String> list = new ArrayList<>();
        ints.forEach(x -> list.add(x.toString()));
        out.println("static final int[] INTS = {0, -1, " + String.join(", ", list) + "};");
        list.clear();
        doubles.stream().filter(x -> !x.isNaN() && !x.isInfinite()).forEach(x -> list.add(x.toString()));
        list.addAll(List.of("0.0 / 0", "1 / 0.0", "-1 / 0.0", "-0.0"));
        out.println("static final double[] DOUBLES = {" + String.join(", ", list) + "};");
        out.println("static final String[] TEXTS = {\"\"");
        texts.forEach(x -> out.println(", " + literal(x)));
        written.forEach(x -> out.println(", \"" + x + '"'));
        out.println("};");
    }

    private static String literal(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            b.append(c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '"' || c == '\\' ? "\\" + c
                    : c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return b.append('"').toString();
    }

    /** Values get from one variable to another: what tests do by assignments, casts and arrays. */
    private void values(PrintWriter out) {
        List<String> moves = new ArrayList<>();
        types.forEach((v, t) -> {
            moves.add("v = null;".replace("v ", "Main." + v + " "));
            types.forEach((w, u) -> {
                if (v.equals(w)) {
                    return;
                }
                if (u.isAssignableFrom(t)) {
                    moves.add("if (Main." + v + " != null) Main." + w + " = Main." + v + ";");
                    moves.add("if (((Object) Main." + w + ") instanceof " + t.getCanonicalName() + ") Main." + v + " = ("
                            + t.getCanonicalName() + ") Main." + w + ";");
                }
            });
            if (t.isArray() && t.getComponentType() == byte.class) {
                moves.add("Main." + v + " = Main.bytes[Main.random.nextInt(Main.bytes.length)].clone();");
            } else if (t.isArray()) {
                Class<?> c = t.getComponentType();
                String made = c.isArray() ? c.getComponentType().getCanonicalName() + "[n][]" : c.getCanonicalName() + "[n]";
                if (c.isPrimitive() || types.containsKey(variableName(c))) {
                    String of = c.isPrimitive() ? "Main." + c + "Value()" : "Main." + variableName(c);
                    moves.add("{ int n = Main.random.nextInt(20); Main." + v + " = new " + made + "; for (int i = 0; i < n; "
                            + "i++) Main." + v + "[i] = " + of + "; }");
                    if (!c.isPrimitive()) {
                        moves.add("if (Main." + v + " != null && Main." + v + ".length > 0) " + of + " = Main." + v
                                + "[Main.random.nextInt(Main." + v + ".length)];");
                    }
                }
            }
        });
        int others = moves.size();
        for (int i = 0; i < others / 4; i++) {
            moves.add("Main.v_java_lang_String = text();");
            moves.add("Main.v_java_lang_String = mixed(Main.v_java_lang_String, text());");
        }
        out.println("class Values {\nstatic String text() { return Main.TEXTS[Main.random.nextInt(Main.TEXTS.length)]; }");
        out.println("static String mixed(String a, String b) { return a == null || a.length() > 200 ? b : a.substring(0, "
                + "Main.random.nextInt(a.length() + 1)) + b.substring(Main.random.nextBoolean() ? 0 : "
                + "Main.random.nextInt(b.length() + 1)); }");
        out.println("static void next() { switch (Main.random.nextInt(" + moves.size() + ")) {");
        for (int i = 0; i < moves.size(); i++) {
            out.println("case " + i + ": " + moves.get(i) + " break;");
        }
        out.println("} }\n}");
    }

    private static String variableName(Class<?> t) {
        return "v_" + t.getCanonicalName().replace('.', '_').replace("[]", "_array");
    }
}
