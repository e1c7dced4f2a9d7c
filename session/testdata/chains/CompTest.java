package comp;

import java.util.*;
import org.junit.*;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class CompTest {
    static final int CALLS = 4;
    static volatile String test;
    static final Map<String, Set<String>> seen = new TreeMap<>();

    static void sample() {
        sample(null);
    }

    /**
     * Notes the chains that the stack has: each with its level. The line that has called says calls
     * another method, too.
     */
    static void sample(String also) {
        StackTraceElement[] st = new Throwable().getStackTrace();
        String chain = null;
        int level = -1, calls = 0, line = 0;
        boolean inside = false;
        for (int i = st.length - 1; i >= 0; i--) {
            StackTraceElement f = st[i];
            boolean in = f.getClassName().startsWith("comp.Comp") && !f.getClassName().startsWith("comp.CompTest");
            if (in) {
                String name = f.getClassName().substring(5) + "." + f.getMethodName();
                if (name.equals("Comp.says")) {
                    if (also.startsWith("!")) {
                        note("1 " + also.substring(1));
                    } else if (calls < CALLS) {
                        note(Math.min(level, 1) + " " + chain + ":" + line + ">" + also);
                    }
                }
                if (inside && !f.getMethodName().equals("<clinit>")) {
                    calls++;
                    chain += ":" + line + ">" + name;
                } else {
                    level++;
                    calls = 0;
                    chain = name;
                }
                line = f.getLineNumber();
                if (calls <= CALLS) {
                    note(Math.min(level, 1) + " " + chain);
                }
            }
            inside = in;
        }
    }

    static synchronized void note(String s) {
        Set<String> of = seen.get(test);
        if (of == null) {
            seen.put(test, of = new TreeSet<>());
        }
        of.add(s);
    }

    @Rule public final org.junit.rules.TestName name = new org.junit.rules.TestName();

    @Before public void begin() {
        begin(name.getMethodName());
    }

    static void begin(String name) {
        test = name;
        Comp.hook = CompTest::sample;
        Comp.saying = CompTest::sample;
    }

    static void fails(Runnable r) {
        try {
            r.run();
        } catch (RuntimeException e) {
            Comp.after();
            return;
        }
        Assert.fail();
    }

    @Test public void aCalls() {
        Comp.recursive(9);
        Comp.lazily();
        Comp.lazily();
        Comp.kinds(true);
        Comp.kinds(false);
    }

    @Test public void bExceptions() {
        Comp.caught(0);
        Comp.caught(4);
        fails(() -> Comp.down(0));
        fails(() -> Comp.down(5));
    }

    @Test public void cConstructors() {
        for (int n = -1; n < 12; n++) {
            Comp.constructs(n);
        }
        for (int n : new int[] {-1, 10}) {
            fails(() -> new Comp.Derived(n));
        }
        for (int n : new int[] {-1, 3}) {
            fails(() -> new Comp.Checked(n));
        }
        fails(() -> new Comp.Outer(-1));
        fails(() -> new Comp.Deeper(-1));
        fails(() -> new Comp.Copied(new Comp.Source(true)));
        fails(() -> new Comp.Copied(null));
        new Comp.Copied(new Comp.Source(false));
        Comp.after();
    }

    @Test public void dReentrance() {
        Comp.sorted(Arrays.asList(3, 1, 2, 5, 4));
        fails(() -> Comp.sorted(Arrays.asList(3, 13, 2)));
        Comp.make(() -> Comp.caught(1));
        Comp.make(() -> {
            throw new IllegalStateException();
        });
        fails(() -> Comp.make(() -> {
            throw new UnsupportedOperationException();
        }));
    }

    @Test public void eWrappers() {
        Comp.walk(new Comp.Counting(new Comp.Items().iterator()));
        Comp.walk(Collections.unmodifiableList(new Comp.Items()).iterator());
        Comp.walk(new Comp.Counting(Collections.unmodifiableCollection(new Comp.Items()).iterator()));
        Comp.walk(new Comp.Source(false).iterator());
        for (int deep = 0; deep < 6; deep++) {
            Comp.adds(new Comp.Adding(), deep);
            Comp.adds(new Comp.Putting(), deep);
            // The same calls, of what has been called directly just now.
            Comp.adds(Collections.synchronizedList(new Comp.Putting()), deep);
        }
    }

    @Test public void fOverflow() {
        // What eWrappers calls directly, in the same JVM.
        for (int deep = 0; deep < 6; deep++) {
            Comp.adds(Collections.synchronizedList(new Comp.Adding()), deep);
            Comp.adds(Collections.synchronizedList(new Comp.Putting()), deep);
            Comp.adds(new ArrayList<>(Arrays.asList(1, 2, 3)), deep);
        }
        Comp.overflows();
        Comp.after();
        fails(() -> Comp.down(2));
    }

    @Test public void iInitialisers() {
        Comp.Putting own = new Comp.Putting();
        System.getProperties().put("hook", (Runnable) () -> own.add("y"));
        Comp.late(own);
        System.getProperties().put("hook", (Runnable) Comp::after);
        Comp.later();
    }

    static void some(int k) {
        switch (k % 7) {
            case 0: Comp.caught(k); break;
            case 1: Comp.sorted(Arrays.asList(k, 1, 2)); break;
            case 2: Comp.constructs(k - 1); break;
            case 3: Comp.leaves(new Comp.Leaf(), k % 6); break;
            case 4: Comp.handles(new Comp.Leaf(), k % 3); break;
            case 5: fails(() -> Comp.breaks(new Comp.Leaf(), k % 3)); break;
            default: fails(() -> Comp.down(k)); break;
        }
        Comp.after();
    }

    @Test public void gThreads() throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int at = i;
            Thread t = new Thread(() -> {
                for (int k = 0; k < 200; k++) {
                    some((at + k) % 14);
                }
            });
            t.start();
            all.add(t);
        }
        all.add(Comp.starts());
        for (Thread t : all) {
            t.join();
        }
    }

    @Test public void hVirtualThreads() throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int at = i;
            Runnable r = () -> {
                for (int k = 0; k < 20; k++) {
                    some((at + k) % 14);
                    Thread.yield();
                }
            };
            try {
                all.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r));
            } catch (NoSuchMethodException e) {
                return; // an older JDK
            }
        }
        for (Thread t : all) {
            t.join();
        }
    }

    /** A leaf with nothing of the component below it. */
    static void leaf(Comp.Leaf l) {
        l.get();
        note("0 Comp$Leaf.get");
    }

    @Test public void jLeaves() {
        Comp.Leaf l = new Comp.Leaf();
        leaf(l);
        Comp.leaves(l, 6);
        leaf(l);
        for (int how = 0; how < 4; how++) {
            Comp.handles(l, how);
        }
        for (int how = 0; how < 3; how++) {
            int h = how;
            fails(() -> Comp.breaks(l, h));
            leaf(l);
        }
        for (int deep = 0; deep < 6; deep++) {
            Comp.goesOn(l, deep);
            leaf(l);
        }
        try {
            new Comp.Outer(-1);
            Assert.fail();
        } catch (IllegalArgumentException e) {
            leaf(l);
        }
    }

    @Test public void kLeavesOfLists() {
        for (int deep = 0; deep < 6; deep++) {
            Comp.measured(new Comp.LeafList(), "Comp$LeafList.", deep);
            Comp.measured(Collections.unmodifiableList(new Comp.LeafList()), "!Comp$LeafList.", deep);
            Comp.measured(new Comp.LeafList(), "Comp$LeafList.", deep);
        }
    }

    @Test public void lLeavesOfInitialisers() {
        Comp.initialises();
        Comp.LeafList own = new Comp.LeafList();
        System.getProperties().put("hook", (Runnable) () -> {
            own.size();
            note("1 Comp$LeafList.size");
        });
        Comp.latest(own);
        Comp.overflowsLeaves();
        Comp.after();
    }

    /** An object of a class of its own class loader, which hands all calls on. */
    @SuppressWarnings("unchecked")
    static java.lang.ref.WeakReference<Class<?>> proxied() {
        Comp.LeafList own = new Comp.LeafList();
        List<Object> proxy = (List<Object>) java.lang.reflect.Proxy.newProxyInstance(new ClassLoader(null) {},
                new Class<?>[] {List.class}, (x, m, args) -> m.invoke(own, args));
        Comp.measured(proxy, "!Comp$LeafList.", 0);
        return new java.lang.ref.WeakReference<>(proxy.getClass());
    }

    @Test public void mUnloads() throws Exception {
        java.lang.ref.WeakReference<Class<?>> c = proxied();
        for (int i = 0; i < 100 && c.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        Assert.assertNull(c.get());
    }

    @Test public void zDump() throws Exception {
        dump(false, 0, 1);
    }

    /** Fails with a part of what tests have seen: those of random programs, or the others. */
    static void dump(boolean random, int part, int parts) throws Exception {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        try (java.io.PrintWriter w = new java.io.PrintWriter(new java.util.zip.DeflaterOutputStream(out))) {
            for (Map.Entry<String, Set<String>> e : seen.entrySet()) {
                for (String s : e.getValue()) {
                    if (e.getKey().startsWith("random") == random && Math.floorMod(s.hashCode(), parts) == part) {
                        w.println(e.getKey() + " " + s);
                    }
                }
            }
        }
        // Tests write nowhere; this is what gets out.
        throw new AssertionError(Base64.getEncoder().encodeToString(out.toByteArray()));
    }
}
