package catchlens.rt.record;

import catchlens.rt.load.ClassEntry;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The call chains of a component that run, as a tree of calling contexts (Rountev et al. 2004,
 * section 4). A thread has the contexts of the component's methods on its stack. A method that
 * begins is below the call that the method on top has announced last, if it is what is called
 * there; else code outside the component, or the VM, has called it: the component is entered again.
 *
 * <p>A method keeps in a variable where it is on the stack. It says so with each call and when it
 * ends, so that nothing which an exception has left out is remembered for longer than the next call.
 *
 * <p>Where a call may lead out of the component, a method of its name that begins is the one called,
 * or code outside has been called, which has called the method. What is called depends on the call
 * and on the class of the object alone (JVMS 5.4.6): for each, one look at the stack tells. It is
 * called once: what begins afterwards has most likely been called from outside, as by the
 * initialiser of a class whose field is read next, and the stack is looked at each time.
 *
 * <p>Chains have Wire.CHAIN_CALLS calls at most: what is called below them is in no chain
 * (state Limited). Levels above 1 count as 1.
 */
public final class Chains {
    private Chains() {}

    /** A method in a context. */
    private static final class Node {
        final Node up; // null: an entry method
        final int call; // of the method above
        final int c, n;
        final int level;
        final int calls; // -1: Limited, of any method
        volatile Edge[] edges = NONE;
        int window; // the last one that it was met in
        int number; // in what is written

        Node(Node up, int call, int c, int n, int level, int calls) {
            this.up = up;
            this.call = call;
            this.c = c;
            this.n = n;
            this.level = level;
            this.calls = calls;
        }
    }

    /** Where a call of a context leads in one method. */
    private static final class Edge {
        final int call, c, n;
        final boolean certain;
        final Node direct; // null: it is not what is called
        final Node outside; // null where certain

        Edge(int call, int c, int n, boolean certain, Node direct, Node outside) {
            this.call = call;
            this.c = c;
            this.n = n;
            this.certain = certain;
            this.direct = direct;
            this.outside = outside;
        }
    }

    /** What is on the stack of a thread. */
    private static final class Stack {
        final Thread owner = Thread.currentThread();
        int depth;
        Frame[] frames = new Frame[64]; // each is there from the first time on that the stack gets so deep
    }

    /**
     * A method on the stack, for as long as it runs. It keeps this in a variable, so that what it
     * says later does not ask for its thread.
     */
    public static final class Frame {
        final Stack stack;
        final int depth;
        Node node;
        int c, n;
        int call; // announced last
        String name;
        Class<?> on; // of the object on which that call is made; null: it does not tell what is called
        boolean constructs; // that call is by construct
        boolean called; // that call has called a method of the component
        boolean direct; // the method below has called it

        Frame(Stack stack, int depth) {
            this.stack = stack;
            this.depth = depth;
        }
    }

    /** Whether a method that begins is what a call of another one on objects of a class calls. */
    private static final class Met {
        final int fromC, fromN, call, c, n;
        final WeakReference<Class<?>> on; // null: of any, or of none
        final byte answer;

        Met(Frame from, int c, int n, Class<?> on, byte answer) {
            this.fromC = from.c;
            this.fromN = from.n;
            this.call = from.call;
            this.c = c;
            this.n = n;
            this.on = on == null ? null : new WeakReference<Class<?>>(on);
            this.answer = answer;
        }

        boolean is(Frame from, int c, int n, Class<?> on) {
            return call == from.call && this.c == c && this.n == n && fromN == from.n && fromC == from.c
                    && (this.on == null ? on == null : on != null && this.on.get() == on);
        }

        static int hash(Frame from, int c, int n, Class<?> on) {
            int h = ((((from.c * 31 + from.n) * 31 + from.call) * 31 + c) * 31 + n) * 31
                    + (on == null ? 0 : on.hashCode());
            h *= 0x9e3779b9; // spreads what differs in few bits
            return h >>> 32 - MET_BITS;
        }
    }

    private static final byte NO = 0, YES = 1, LOOK = 2; // at the stack, each time
    private static final int MET_BITS = 15;
    /**
     * What is known, at its hash or beside it. Threads write without order: what one overwrites is
     * found out again.
     */
    private static final Met[] MET = new Met[1 << MET_BITS];

    private static final Edge[] NONE = {};
    private static final ThreadLocal<Stack> STACKS = new ThreadLocal<Stack>();
    private static final Latch latch = new Latch();
    private static final Node[] LIMITED = {new Node(null, 0, 0, 0, 0, -1), new Node(null, 0, 0, 0, 1, -1)};
    /** Entry methods by class number, and 2n + level. */
    private static volatile AtomicReferenceArray<AtomicReferenceArray<Node>> roots =
            new AtomicReferenceArray<AtomicReferenceArray<Node>>(64);
    private static Stack ofTests; // that of the test thread, once it has asked in the open window
    private static ArrayList<Node> met = new ArrayList<Node>(); // in the open window

    private static Stack stack() {
        Thread t = Thread.currentThread();
        Stack s = ofTests;
        if (s != null && s.owner == t) {
            return s;
        }
        s = STACKS.get();
        if (s == null) {
            s = new Stack();
            STACKS.set(s);
        }
        if (t == Recorder.testThread) {
            ofTests = s;
        }
        return s;
    }

    /** Method n of class c begins, which is called by one of some names. */
    public static Frame begin(String names, int c, int n) {
        Stack s = stack();
        int depth = s.depth;
        Frame top = depth == 0 ? null : s.frames[depth - 1];
        if (top != null && top.constructs && top.name == null) {
            depth = s.depth = leftConstructors(s, depth);
            top = depth == 0 ? null : s.frames[depth - 1];
        }
        if (depth == s.frames.length) {
            s.frames = Arrays.copyOf(s.frames, 2 * depth);
        }
        Frame f = s.frames[depth];
        if (f == null) {
            f = s.frames[depth] = new Frame(s, depth);
        }
        Node at = top == null ? root(c, n, 0) : next(top, names, c, n);
        f.node = at;
        f.direct = at.up != null && at.up == top.node || at.calls < 0;
        f.c = c;
        f.n = n;
        f.name = null;
        f.on = null;
        f.called = false;
        f.constructs = false;
        s.depth = depth + 1;
        int w = Recorder.window;
        if (w != 0 && at.window != w && at.calls >= 0) {
            note(at, w);
        }
        return f;
    }

    /** A method makes one of its calls, of a method of the name. */
    public static void call(Frame f, int call, String name) {
        f.call = call;
        f.name = name;
        f.on = null;
        f.called = false;
        f.constructs = false;
        f.stack.depth = f.depth + 1;
    }

    /** The same, where the class of an object decides what is called. */
    public static void callOn(Object on, Frame f, int call, String name) {
        call(f, call, name);
        f.on = on == null ? null : on.getClass();
    }

    /** It calls another constructor for its own object. */
    public static void construct(Frame f, int call, String name) {
        f.call = call;
        f.name = name;
        f.on = null;
        f.called = false;
        f.constructs = true;
        f.stack.depth = f.depth + 1;
    }

    /** A method returns. */
    public static void end(Frame f) {
        f.on = null; // it may be collected
        f.stack.depth = f.depth;
    }

    /** An exception leaves it, and with it the constructors that have called it for their objects. */
    public static void fail(Frame f) {
        Frame[] frames = f.stack.frames;
        int depth = f.depth;
        while (depth > 0 && frames[depth - 1].constructs && frames[depth].direct) {
            depth--;
        }
        f.on = null;
        f.stack.depth = depth;
    }

    /**
     * How deep the stack is without constructors that called a constructor outside the component
     * which has thrown: they are not there any more.
     */
    private static int leftConstructors(Stack s, int depth) {
        StackTraceElement[] st = new Throwable().getStackTrace();
        while (depth > 0 && s.frames[depth - 1].constructs && s.frames[depth - 1].name == null) {
            ClassEntry e = Recorder.entry(s.frames[depth - 1].c);
            String c = e == null ? "" : e.name.replace('/', '.');
            for (StackTraceElement f : st) {
                if (f.getMethodName().equals("<init>") && f.getClassName().equals(c)) {
                    return depth;
                }
            }
            depth--;
        }
        return depth;
    }

    private static void note(Node at, int w) {
        if (!Recorder.belongs()) {
            return;
        }
        boolean mine = latch.lock();
        try {
            if (at.window != w) {
                at.window = w;
                met.add(at);
            }
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Where the call leads that was announced last, in a method that begins. */
    private static Node next(Frame top, String names, int c, int n) {
        Node from = top.node;
        String name = top.name;
        if (name == null || top.called && !directly(top.c)) {
            return root(c, n, 1);
        }
        if (from.calls < 0) {
            top.called = calls(top, names, c, n);
            return top.called ? from : root(c, n, 1);
        }
        int call = top.call;
        Edge e = find(from.edges, call, c, n);
        if (e == null) {
            e = add(from, call, c, n, called(names, name), name.charAt(0) == Wire.CHAIN_INSIDE);
        }
        top.called = e.certain ? e.direct != null : calls(top, names, c, n);
        return top.called ? e.direct : e.outside;
    }

    private static Edge find(Edge[] edges, int call, int c, int n) {
        for (Edge e : edges) {
            if (e.call == call && e.n == n && e.c == c) {
                return e;
            }
        }
        return null;
    }

    private static Edge add(Node from, int call, int c, int n, boolean called, boolean inside) {
        Node outside = called && inside ? null : root(c, n, 1);
        boolean mine = latch.lock();
        try {
            Edge e = find(from.edges, call, c, n);
            if (e != null) {
                return e;
            }
            Node direct = null;
            if (called) {
                direct = from.calls == Wire.CHAIN_CALLS ? LIMITED[from.level]
                        : new Node(from, call, c, n, from.level, from.calls + 1);
            }
            e = new Edge(call, c, n, inside || !called, direct, outside);
            Edge[] more = Arrays.copyOf(from.edges, from.edges.length + 1);
            more[more.length - 1] = e;
            from.edges = more;
            return e;
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Whether a method that begins is what was announced last. */
    private static boolean calls(Frame top, String names, int c, int n) {
        Class<?> on = top.on;
        int at = Met.hash(top, c, n, on);
        Met m = MET[at];
        if (m == null || !m.is(top, c, n, on)) {
            Met beside = MET[at ^ 1];
            if (beside == null || !beside.is(top, c, n, on)) {
                return meet(top, names, c, n, m == null || beside != null ? at : at ^ 1);
            }
            m = beside;
        }
        return m.answer == LOOK ? directly(top.c) : m.answer == YES;
    }

    /** The same, where it is not known yet; it is noted at a place. */
    private static boolean meet(Frame top, String names, int c, int n, int at) {
        Class<?> on = top.on;
        boolean yes = called(names, top.name);
        boolean look = yes && top.name.charAt(0) != Wire.CHAIN_INSIDE;
        if (look) {
            yes = directly(top.c);
        }
        // What has a slash in its name is hidden (JVMS 5.4.4), and so are its frames: a lambda object that
        // calls the method, or other code which does.
        boolean once = !look || on != null && on.getName().indexOf('/') < 0;
        MET[at] = new Met(top, c, n, on, !once ? LOOK : yes ? YES : NO);
        return yes;
    }

    /** Whether a name, behind its mark, is one of some that are parted by bars. */
    static boolean called(String names, String name) {
        int length = name.length() - 1;
        for (int at = 0; at <= names.length(); ) {
            int end = names.indexOf('|', at);
            if (end < 0) {
                end = names.length();
            }
            if (end - at == length && names.regionMatches(at, name, 1, length)) {
                return true;
            }
            at = end + 1;
        }
        return false;
    }

    /** Whether the frame below the method that begins is of a class: no code outside is in between. */
    private static boolean directly(int c) {
        ClassEntry e = Recorder.entry(c);
        return e != null && sameName(Caller.name(), e.name);
    }

    /** Whether a class of a name has an internal name. */
    private static boolean sameName(String name, String internal) {
        int length = internal.length();
        if (name.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = internal.charAt(i);
            if (name.charAt(i) != (c == '/' ? '.' : c)) {
                return false;
            }
        }
        return true;
    }

    /** The context of a method that is called from outside. */
    private static Node root(int c, int n, int level) {
        Node r = known(c, 2 * n + level);
        if (r != null) {
            return r;
        }
        boolean mine = latch.lock();
        try {
            AtomicReferenceArray<AtomicReferenceArray<Node>> byClass = grown(roots, c);
            AtomicReferenceArray<Node> all = byClass.get(c);
            int at = 2 * n + level;
            all = grown(all == null ? new AtomicReferenceArray<Node>(at + 2) : all, at);
            r = all.get(at);
            if (r == null) {
                r = new Node(null, 0, c, n, level, 0);
                all.set(at, r);
            }
            byClass.set(c, all);
            roots = byClass;
            return r;
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** It, null if it is not there yet. */
    private static Node known(int c, int at) {
        AtomicReferenceArray<AtomicReferenceArray<Node>> byClass = roots;
        AtomicReferenceArray<Node> all = c < byClass.length() ? byClass.get(c) : null;
        return all != null && at < all.length() ? all.get(at) : null;
    }

    /** An array that has an index: the same, or a longer copy. */
    private static <T> AtomicReferenceArray<T> grown(AtomicReferenceArray<T> a, int at) {
        if (at < a.length()) {
            return a;
        }
        AtomicReferenceArray<T> more = new AtomicReferenceArray<T>(Math.max(at + 1, 2 * a.length()));
        for (int i = 0; i < a.length(); i++) {
            more.set(i, a.get(i));
        }
        return more;
    }

    /** Writes the contexts that were met in the window that closes, each behind the one above it. */
    static void write(Out out) {
        ofTests = null; // its thread may end
        boolean mine = latch.lock();
        try {
            int at = out.length();
            out.u32(0);
            ArrayList<Node> written = new ArrayList<Node>();
            for (Node x : met) {
                write(out, x, written);
            }
            out.setU32(at, written.size());
            for (Node x : written) {
                x.number = 0;
            }
            met = new ArrayList<Node>();
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Writes a context, and before it those above it that are not there yet. */
    private static void write(Out out, Node x, ArrayList<Node> written) {
        if (x == null || x.number != 0) {
            return;
        }
        write(out, x.up, written);
        written.add(x);
        x.number = written.size();
        out.u32(x.up == null ? 0 : x.up.number).u32(x.call).u32(x.c).u16(x.n).u8(x.level);
    }
}
