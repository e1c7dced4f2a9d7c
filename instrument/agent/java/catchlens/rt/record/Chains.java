package catchlens.rt.record;

import catchlens.rt.load.ClassEntry;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;

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
 *
 * <p>Contexts, calls and classes of objects are numbers on the stack of a thread. Where the method
 * on top is, what it calls and what begins are the key of a table of the thread, which tells the
 * context of what begins. A method whose context was met that way in the open window looks it up,
 * and does nothing else.
 */
public final class Chains {
    private Chains() {}

    /** A method in a context. */
    private static final class Node {
        final int id;
        final String info; // what the method's probe says of it
        final Node up; // null: an entry method, or Limited
        final int call; // of the method above
        final int c, n;
        final int level;
        final int calls; // -1: Limited
        Node[] below = {}; // of their calls
        int window; // the last one that it was met in
        int number; // in what is written

        Node(int id, String info, Node up, int call, long method, int level, int calls) {
            this.id = id;
            this.info = info;
            this.up = up;
            this.call = call;
            c = (int) (method >> 16);
            n = (int) method & 0xffff;
            this.level = level;
            this.calls = calls;
        }

        long method() {
            return (long) c << 16 | n;
        }

        /** Whether it has been called by the method below it on the stack. */
        boolean isCalled() {
            return up != null || calls < 0;
        }

        /** The name of what a call calls, behind its mark; null: no method of the component is called. */
        String name(int call) {
            int at = -1;
            for (int i = 0; i <= call; i++) {
                at = info.indexOf(';', at + 1);
                if (at < 0) {
                    return null;
                }
            }
            int end = info.indexOf(';', at + 1);
            end = end < 0 ? info.length() : end;
            return at + 1 == end ? null : info.substring(at + 1, end);
        }
    }

    /** Where a call of a context, made on objects of a class, leads in one method. */
    private static final class Edge {
        final long at; // as Frame.at
        final int on;
        final long method; // its class's number, and 16 bits of its own
        final boolean look; // each time anew, at the stack if there is an answer to either
        final Node direct; // null: the method is never called
        final Node outside; // null: it always is

        Edge(long at, int on, long method, boolean look, Node direct, Node outside) {
            this.at = at;
            this.on = on;
            this.method = method;
            this.look = look;
            this.direct = direct;
            this.outside = outside;
        }
    }

    /** The hash of an edge; it spreads what differs in few bits. */
    private static int hash(long at, int on, long method) {
        long h = at * 0x9e3779b97f4a7c15L + on * 0xc2b2ae3d27d4eb4fL + method * 0x165667b19e3779f9L;
        return (int) (h ^ h >>> 32);
    }

    /** The number of a class. */
    private static final class Numbered extends WeakReference<Class<?>> {
        final int hash;
        final int id;

        Numbered(Class<?> c, int hash, int id) {
            super(c);
            this.hash = hash;
            this.id = id;
        }
    }

    /**
     * The edges that a thread has taken, of those that need no look at the stack. It is a table with
     * open addresses and WORDS numbers for each: Frame.at of the method on top, the method that
     * begins, on with the window in which that was noted last plus 1, and Frame.at of what begins,
     * with the mark CALLED if the method on top has called it. All is in one place, as the memory of
     * what is asked for by each method that begins is what its time is made of.
     */
    private static final class Taken {
        static final int WORDS = 4;
        long[] table = new long[64 * WORDS];
        int count;

        /** Where an edge stands, or a free place; the first number there is 0 then. */
        static int find(long[] table, long at, int on, long method) {
            int mask = table.length - 1;
            for (int i = hash(at, on, method) * WORDS & mask;; i = i + WORDS & mask) {
                long x = table[i];
                if (x == at && table[i + 1] == method && (int) (table[i + 2] >>> 32) == on || x == 0) {
                    return i;
                }
            }
        }

        /** Keeps that an edge was noted in a window. */
        void add(long at, int on, long method, int window, long next) {
            if (2 * WORDS * count >= table.length) {
                makeRoom(window);
            }
            int i = find(table, at, on, method);
            count += table[i] == 0 ? 1 : 0;
            table[i + 1] = method;
            table[i + 2] = key(on, window);
            table[i + 3] = next;
            table[i] = at;
        }

        /** Forgets what was noted in other windows, and doubles the table where that is little. */
        private void makeRoom(int window) {
            int kept = 0;
            for (int i = 0; i < table.length; i += WORDS) {
                kept += (int) table[i + 2] == window + 1 ? 1 : 0;
            }
            long[] more = new long[4 * WORDS * kept < table.length ? table.length : 2 * table.length];
            for (int i = 0; i < table.length; i += WORDS) {
                if ((int) table[i + 2] == window + 1) {
                    int k = find(more, table[i], (int) (table[i + 2] >>> 32), table[i + 1]);
                    System.arraycopy(table, i, more, k, WORDS);
                }
            }
            table = more;
            count = kept;
        }

        static long key(int on, int window) {
            return (long) on << 32 | window + 1 & 0xffffffffL;
        }
    }

    /** What is on the stack of a thread. */
    private static final class Stack {
        final Thread owner = Thread.currentThread();
        int depth = 1;
        // Each is there from the first time on that the stack gets so deep. The first stands for what
        // is outside.
        Frame[] frames = new Frame[64];
        final Taken taken = new Taken();

        Stack() {
            frames[0] = new Frame(this, 0);
            frames[0].at = NO_CALL;
        }
    }

    /**
     * A method on the stack, for as long as it runs. It keeps this in a variable, so that what it
     * says later does not ask for its thread.
     */
    public static final class Frame {
        final Stack stack;
        final int depth;
        long at; // the number of its context, and in the lower half the call announced last, with marks
        int on; // the number of the class of the object on which that call is made

        Frame(Stack stack, int depth) {
            this.stack = stack;
            this.depth = depth;
        }
    }

    private static final int NO_CALL = 0xffff; // no method has so many calls
    private static final long CONTEXT = -1L << 32; // of Frame.at
    private static final int CALLED = 0x10000; // mark: that call has called a method of the component
    private static final int CONSTRUCTS = 0x20000; // mark: that call is by construct

    /** Numbers of what is no class with a number. */
    private static final int NO_CLASS = 0, HIDDEN_CLASS = -1;

    private static final ThreadLocal<Stack> STACKS = new ThreadLocal<Stack>();
    private static final Latch latch = new Latch();

    // Tables with open addresses. They are written with the latch, into free places or by replacing the
    // whole, and read without it: who misses what another thread has written asks again with the latch.
    private static Edge[] edges = new Edge[1 << 12];
    private static int edgeCount;
    private static Numbered[] classes = new Numbered[1 << 8];
    private static int classCount, classPlaces; // places are taken by classes that are gone, too

    private static Node[] nodes = new Node[1 << 10]; // by number, from 1 on
    private static int nodeCount;
    /**
     * Contexts of methods called from outside, and Limited ones, by class number and 4n + level, and 2
     * for Limited.
     */
    private static Node[][] entries = new Node[64][];
    private static Stack ofTests; // that of the test thread, once it has asked in the open window
    private static ArrayList<Node> met = new ArrayList<Node>(); // in the open window

    private static Stack stack() {
        Stack s = ofTests;
        return s != null && s.owner == Thread.currentThread() ? s : findStack();
    }

    private static Stack findStack() {
        Stack s = STACKS.get();
        if (s == null) {
            s = new Stack();
            STACKS.set(s);
        }
        if (s.owner == Recorder.testThread) {
            ofTests = s;
        }
        return s;
    }

    /** Method n of class c begins, of which info says what it is called by, and what it calls. */
    public static Frame begin(String info, int c, int n) {
        Stack s = stack();
        int depth = s.depth;
        Frame[] frames = s.frames;
        Frame top = frames[depth - 1];
        long method = (long) c << 16 | n;
        long[] taken = s.taken.table;
        int i = Taken.find(taken, top.at, top.on, method);
        if (taken[i] == 0 || taken[i + 2] != Taken.key(top.on, Recorder.window) || depth == frames.length) {
            return beginSlowly(s, info, method);
        }
        Frame f = frames[depth];
        if (f == null) {
            return beginSlowly(s, info, method);
        }
        long next = taken[i + 3];
        top.at |= next & CALLED;
        f.at = next & ~CALLED;
        s.depth = depth + 1;
        return f;
    }

    /** The same, where it is not known yet what that means. */
    private static Frame beginSlowly(Stack s, String info, long method) {
        Frame top = s.frames[s.depth - 1];
        if ((top.at & CONSTRUCTS) != 0 && name(top) == null) {
            s.depth = leftConstructors(s);
            top = s.frames[s.depth - 1];
        }
        Node at = next(s, top, info, method);
        if (s.depth == s.frames.length) {
            s.frames = Arrays.copyOf(s.frames, 2 * s.depth);
        }
        Frame f = s.frames[s.depth];
        if (f == null) {
            f = s.frames[s.depth] = new Frame(s, s.depth);
        }
        f.at = begun(at);
        s.depth++;
        return f;
    }

    /** Where a method is when it begins in a context. */
    private static long begun(Node at) {
        return (long) at.id << 32 | NO_CALL;
    }

    /** A method makes one of its calls. */
    public static void call(Frame f, int call) {
        f.at = f.at & CONTEXT | call;
        f.on = NO_CLASS;
        f.stack.depth = f.depth + 1;
    }

    /** The same, where the class of an object decides what is called. */
    public static void callOn(Object on, Frame f, int call) {
        f.at = f.at & CONTEXT | call;
        f.on = on == null ? NO_CLASS : number(on.getClass());
        f.stack.depth = f.depth + 1;
    }

    /** It calls another constructor for its own object. */
    public static void construct(Frame f, int call) {
        call(f, call | CONSTRUCTS);
    }

    /** A method returns. */
    public static void end(Frame f) {
        f.stack.depth = f.depth;
    }

    /** An exception leaves it, and with it the constructors that have called it for their objects. */
    public static void fail(Frame f) {
        f.stack.depth = left(f.stack.frames, f.depth);
    }

    /** How deep the stack is when the method at a depth has failed. */
    private static int left(Frame[] frames, int depth) {
        while ((frames[depth - 1].at & CONSTRUCTS) != 0 && node(frames[depth]).isCalled()) {
            depth--;
        }
        return depth;
    }

    /**
     * How deep the stack is without constructors that called a constructor outside the component
     * which has thrown, and those that called these: they are not there any more.
     */
    private static int leftConstructors(Stack s) {
        StackTraceElement[] st = new Throwable().getStackTrace();
        int depth = s.depth;
        for (Frame top; ((top = s.frames[depth - 1]).at & CONSTRUCTS) != 0 && name(top) == null;) {
            ClassEntry e = Recorder.entry(node(top).c);
            String c = e == null ? "" : e.name.replace('/', '.');
            for (StackTraceElement f : st) {
                if (f.getMethodName().equals("<init>") && f.getClassName().equals(c)) {
                    return depth;
                }
            }
            depth = left(s.frames, top.depth);
        }
        return depth;
    }

    /** Notes that a context is met in a window; false: the thread does not belong to it. */
    private static boolean note(Node at, int w) {
        if (!Recorder.belongs()) {
            return false;
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
        return true;
    }

    /** The call that a method has announced last. */
    private static int call(Frame f) {
        return (int) f.at & NO_CALL;
    }

    /** The name of what it calls; null: no method of the component. */
    private static String name(Frame f) {
        Node at = node(f);
        return at == null || call(f) == NO_CALL ? null : at.name(call(f));
    }

    /** The context of a method on the stack; null: outside. */
    private static Node node(Frame f) {
        int id = (int) (f.at >>> 32);
        Node[] all = nodes;
        if (id == 0) {
            return null;
        }
        Node x = id < all.length ? all[id] : null;
        if (x != null) {
            return x;
        }
        boolean mine = latch.lock(); // another thread has made it
        try {
            return nodes[id];
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Where the call leads that was announced last, in a method that begins. */
    private static Node next(Stack s, Frame top, String info, long method) {
        Node from = node(top);
        int w = Recorder.window;
        if ((top.at & CALLED) != 0 && !directly(from.c)) {
            Node to = entry(info, method, 1, 0);
            isNoted(to, w);
            return to;
        }
        long at = top.at &= ~CALLED;
        Edge e = find(at, top.on, method);
        if (e == null) {
            e = learn(top, from, info, method);
        }
        boolean direct = e.direct != null && (!e.look || directly(from.c));
        Node to = direct ? e.direct : e.outside;
        if (isNoted(to, w) && !e.look) {
            s.taken.add(at, top.on, method, w, begun(to) | (direct ? CALLED : 0));
        }
        if (direct) {
            top.at |= CALLED;
        }
        return to;
    }

    /** Notes a context that is met in a window; false: it has to be tried again. */
    private static boolean isNoted(Node at, int w) {
        return w == 0 || at.calls < 0 || at.window == w || note(at, w);
    }

    private static Edge find(long at, int on, long method) {
        Edge[] all = edges;
        int mask = all.length - 1;
        for (int i = hash(at, on, method) & mask;; i = i + 1 & mask) {
            Edge e = all[i];
            if (e == null || e.at == at && e.method == method && e.on == on) {
                return e;
            }
        }
    }

    /** Finds out where the call leads that a context has announced last. */
    private static Edge learn(Frame top, Node from, String info, long method) {
        if (from == null) {
            return add(new Edge(top.at, top.on, method, false, null, entry(info, method, 0, 0)));
        }
        String name = name(top);
        boolean called = name != null && called(info, name);
        boolean inside = called && name.charAt(0) == Wire.CHAIN_INSIDE;
        // The frames of a hidden class are hidden (JVMS 5.4.4): a lambda object calls the method, or other
        // code does.
        boolean look = called && !inside && (top.on == NO_CLASS || top.on == HIDDEN_CLASS);
        if (called && !inside && !look) {
            called = directly(from.c);
        }
        Node direct = called ? below(from, call(top), info, method) : null;
        Node outside = look || !called ? entry(info, method, 1, 0) : null;
        // A constructor that calls one outside may be gone: each time is a case of its own.
        look |= name == null && (top.at & CONSTRUCTS) != 0;
        return add(new Edge(top.at, top.on, method, look, direct, outside));
    }

    /** Adds an edge to the table, if it is not there. */
    private static Edge add(Edge e) {
        boolean mine = latch.lock();
        try {
            Edge there = find(e.at, e.on, e.method);
            if (there != null) {
                return there;
            }
            if (2 * edgeCount >= edges.length) {
                growEdges();
            }
            edges[free(edges, hash(e.at, e.on, e.method))] = e;
            edgeCount++;
            return e;
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Makes room for more edges, and drops those of classes that are gone: nobody asks for them. */
    private static void growEdges() {
        int[] live = new int[classPlaces];
        int n = 0;
        for (Numbered x : classes) {
            if (x != null && x.get() != null) {
                live[n++] = x.id;
            }
        }
        Arrays.sort(live, 0, n);
        ArrayList<Edge> kept = new ArrayList<Edge>();
        for (Edge x : edges) {
            if (x != null && (x.on <= NO_CLASS || Arrays.binarySearch(live, 0, n, x.on) >= 0)) {
                kept.add(x);
            }
        }
        Edge[] more = new Edge[grown(edges.length, kept.size())];
        for (Edge x : kept) {
            more[free(more, hash(x.at, x.on, x.method))] = x;
        }
        edges = more;
        edgeCount = kept.size();
    }

    /** The length of a table that was half full and keeps so much: twice that, unless it is little. */
    private static int grown(int length, int kept) {
        return 4 * kept < length ? length : 2 * length;
    }

    /** The place for something with a hash in a table. */
    private static int free(Object[] all, int hash) {
        int i = hash & all.length - 1;
        while (all[i] != null) {
            i = i + 1 & all.length - 1;
        }
        return i;
    }

    /** The number of a class. */
    private static int number(Class<?> c) {
        Numbered[] all = classes;
        int mask = all.length - 1;
        int hash = c.hashCode();
        for (int i = hash & mask;; i = i + 1 & mask) {
            Numbered x = all[i];
            if (x == null) {
                return addClass(c, hash);
            }
            if (x.hash == hash && x.get() == c) {
                return x.id;
            }
        }
    }

    /** Numbers a class, if it has no number. What is hidden has a slash in its name. */
    private static int addClass(Class<?> c, int hash) {
        boolean hidden = c.getName().indexOf('/') >= 0;
        boolean mine = latch.lock();
        try {
            for (int i = hash & classes.length - 1; classes[i] != null; i = i + 1 & classes.length - 1) {
                if (classes[i].get() == c) {
                    return classes[i].id;
                }
            }
            if (2 * classPlaces >= classes.length) {
                growClasses();
            }
            Numbered x = new Numbered(c, hash, hidden ? HIDDEN_CLASS : ++classCount);
            classes[free(classes, hash)] = x;
            classPlaces++;
            return x.id;
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Makes room for more classes, and drops those that are gone. */
    private static void growClasses() {
        ArrayList<Numbered> kept = new ArrayList<Numbered>();
        for (Numbered x : classes) {
            if (x != null && x.get() != null) {
                kept.add(x);
            }
        }
        Numbered[] more = new Numbered[grown(classes.length, kept.size())];
        for (Numbered x : kept) {
            more[free(more, x.hash)] = x;
        }
        classes = more;
        classPlaces = kept.size();
    }

    /** The context of a method that a context calls. */
    private static Node below(Node from, int call, String info, long method) {
        if (from.calls < 0 || from.calls == Wire.CHAIN_CALLS) {
            return entry(info, method, from.level, -1);
        }
        boolean mine = latch.lock();
        try {
            for (Node x : from.below) {
                if (x.call == call && x.method() == method) {
                    return x;
                }
            }
            Node x = add(info, from, call, method, from.level, from.calls + 1);
            Node[] more = Arrays.copyOf(from.below, from.below.length + 1);
            more[more.length - 1] = x;
            from.below = more;
            return x;
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Makes a context; the latch is held. */
    private static Node add(String info, Node up, int call, long method, int level, int calls) {
        if (nodeCount + 1 == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * nodes.length);
        }
        Node x = new Node(nodeCount + 1, info, up, call, method, level, calls);
        nodes[++nodeCount] = x;
        return x;
    }

    /** Whether a name, behind its mark, is one of those of a method: parted by bars, up to a semicolon. */
    static boolean called(String info, String name) {
        int length = name.length() - 1;
        int all = info.indexOf(';');
        all = all < 0 ? info.length() : all;
        for (int at = 0; at <= all; ) {
            int end = info.indexOf('|', at);
            if (end < 0 || end > all) {
                end = all;
            }
            if (end - at == length && info.regionMatches(at, name, 1, length)) {
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

    /** The context of a method that is called from outside (0 calls), or is Limited (-1). */
    private static Node entry(String info, long method, int level, int calls) {
        int c = (int) (method >> 16);
        int at = 4 * ((int) method & 0xffff) + (calls < 0 ? 2 : 0) + level;
        boolean mine = latch.lock();
        try {
            if (c >= entries.length) {
                entries = Arrays.copyOf(entries, Math.max(c + 1, 2 * entries.length));
            }
            Node[] all = entries[c];
            if (all == null || at >= all.length) {
                all = all == null ? new Node[at + 4] : Arrays.copyOf(all, Math.max(at + 4, 2 * all.length));
                entries[c] = all;
            }
            if (all[at] == null) {
                all[at] = add(info, null, 0, method, level, calls);
            }
            return all[at];
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
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
