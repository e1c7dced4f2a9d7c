@Deprecated(since = "}{") package parse /* { */ . odd;

import java.io.*;
import static java.util.Map.Entry;
import static java.util.Collections.*;
import module java.base;
import java.lang.annotation.*;
import java.util.function.*;

// Valid Java that a hasty reader gets wrong. javac's parser is the judge.
@interface Mark {
    String value() default "try { } catch (E e) { }";
    Class<?>[] types() default { Object.class, int[].class };
    int n = new int[] { 1 }.length;
}

@Target(ElementType.TYPE_USE) @interface Use { }

sealed interface S permits S.A, S.B {
    record A<T extends Comparable<? super T> & Serializable>(@Mark("x") T a, int... b) implements S {
        A {
            try { f(a); } catch (RuntimeException | Error e) { throw e; }
        }
        static <Q> void f(Q q) { }
    }
    non-sealed class B implements S { }
}

abstract @Mark(types = { String.class }) class Odd<T extends Map<String, List<? extends T[]>>> extends
        Base <Map<String, List<Integer>>> implements Runnable, Supplier<T> {
    int record = 1, yield[] = { 2, 3 }, when, sealed, permits, module, open, with, to, var;
    Map<String, Map<String, List<List<int[]>>>> deep = new HashMap<String, Map<String, List<List<int[]>>>>(), more;
    char brace = '{', quote = '\'', back = '\\', uni = '\u007b', octal = '\173';
    String s = "try { \" } catch (", t = "\\", u = """
        "try" { """ + """
        \""" } catch (E e) { \
        ""\"" } """;
    // try { } catch (E e) { }
    /* } */ /** { */ /**/ int x = 1 /* ; */ + 2; // }
    \u0069nt \u0061 = 1; // an escaped i and a
    \u002f\u002a an escaped comment } \u002a\u002f int escaped;
    int a1[] = { f(1), f(2) }, a2[][] = { { 1 }, { } };
    boolean less = x < a && a > x, shifts = x >> 1 > 2 & x >>> 3 < 4;
    Object cast = (Runnable & Serializable) () -> { }, c2 = (Supplier<Map<String, Integer>> & Serializable) () -> null;
    IntFunction<int[]> maker = int[]::new; Supplier<List<String>> m2 = ArrayList<String>::new;
    BinaryOperator<Integer> op = (p, q) -> p < q ? p : q, op2 = (Integer p, final Integer q) -> { return p > q ? p : q; };
    Function<Integer, Function<Integer, Supplier<Integer>>> curry = p -> q -> () -> p + q;
    boolean tern = x > 0 ? test(y -> y > 0 ? true : false) : test(y -> { return false; });
    Supplier<Runnable> sr = x > 1 ? () -> () -> { } : () -> { return () -> { throw new Error(); }; };
    static { }
    static
    {
        try { throw new Exception("{"); } catch (@Deprecated final Exception e) { } finally { }
    }
    { { { try { this.run(); } catch (java.lang.@Use RuntimeException e) { } } } }

    <X> Odd(@Mark("(") int a, X... b) throws @Use IOException, RuntimeException {
        <X>this(a);
        new <String> Odd<T>(1) { { run(); } public T get() { return null; } void g() throws Error { } };
    }
    Odd(int a) { super(a, () -> { try { } catch (Error e) { } }); }
    Odd(Odd<T> this, int a, int b) { this.<String>gen("x").new Inner(1).new Inner2<>(2) { int z() { throw null; } }; }
    @Override public T get() { return (T) (Object) null; }
    public void run(@Odd.Nested.Here Odd<T> this) { }
    int dims(int a[], String[] b[])[] { return new int[a.length][]; }
    <A, B extends List<A>> @Use Map<A, B> gen(A a) throws RuntimeException { return Odd.<A, B>sgen(a, (B) null); }
    native void nat(); abstract int abs(int a, int... rest);
    synchronized strictfp final void mods() { synchronized (this) { try { wait(); } catch (InterruptedException e) { } } }
    ;
    void statements(Object o, int n) throws Exception {
        label: for (int i = 0, j = f(1); i < n && f(2) > 1; i++, f(3)) { try { if (i > 2) continue label; else break label; } finally { f(4); } }
        for (String s : gen2(() -> { throw new IllegalStateException(); })) try { f(5); } catch (Exception e) { throw e; }
        do try { f(6); } catch (RuntimeException e) { f(7); } while (f(8) < 9);
        if (o instanceof final String s && s.length() > 1 || o instanceof S.A<?>(Comparable a, int[] b) && f(b) == 1) throw new Exception();
        if (!(o instanceof List<?> l)) { throw (Exception) o; } else synchronized (l) { }
        switch (n) { case 1: case 2: try { f(9); } catch (Exception e) { } default: throw new Error(); case 3, 4: { } }
        switch (n) { case 1 -> f(10); case 2 -> throw new Error("->"); case 3 -> { try { } finally { } } default -> { } }
        int y = switch (o) { case Integer i when i > f(11) && test(q -> q > 0) -> i; case String s -> { yield f(12); } case S.A<?>(var a, var b) when b.length > f(13) -> 2; case null, default -> { yield (n); } };
        yield[0]++; yield = null; this.yield(1); record = 2; when = 3;
        var anon = new Object() { int v = f(14); { f(15); } void m() throws Exception { try { throw new Exception(); } catch (Exception e) { class L { void q() { try { f(16); } catch (Error e) { } } } new L().q(); } } };
        record Point(int x, int y) { Point { if (x < 0) throw new IllegalArgumentException(); } static int z = 1; }
        enum Local { P { int h() { return f(17); } }, Q(1) { }, @Deprecated R; Local(int... a) { } int h() { return 0; } }
        interface LI { default void d() { try { f(18); } catch (Error e) { } } private static void e() { } }
        final class FL extends Odd<T> { FL() { super(1); } } abstract class AL { } @Mark("x") class ML { }
        try (var r = new StringReader("x"); BufferedReader b = new BufferedReader(r) { public void close() throws IOException { try { super.close(); } catch (IOException e) { throw e; } } };) { r.read(); } catch (IOException e) { }
        try (this.res; o2) { f(19); }
        assert f(20) > 0 : "assert" + f(21);
        int[] arr = new int[f(22)], ar2 = new int[] { f(23), f(24) }; arr[f(25)] = 1;
        Runnable r = () -> f(26), r2 = Odd::new, r3 = super::toString; g(x -> { }, (a, b) -> a, z -> new HashMap<String, Integer>() { { f(27); } }, 3);
        throw o == null ? new Exception(f(28) + "") : new RuntimeException() { public String toString() { throw new Error(); } };
    }
    @interface Nested { @interface Here { } }
    enum E implements Runnable { A(1, f(29)) { public void run() { try { f(30); } catch (Error e) { } } }, B { public void run() { } }, ; static final E FIRST = A; int q; E(int... n) { try { } catch (Error e) { } } }
    enum Empty { } enum OnlyMembers { ; static int z = f(31); } enum NoSemi { A, B } enum Trailing { A, B, }
    class Inner { Inner(int n) { } class Inner2<Z> { Inner2(int n) { } } }
}
