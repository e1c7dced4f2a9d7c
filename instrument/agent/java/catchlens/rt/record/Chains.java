package catchlens.rt.record;

import catchlens.rt.load.ClassEntry;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

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
        int c;
        int call; // announced last
        String name;
        boolean constructs; // that call is by construct
        boolean direct; // the method below has called it

        Frame(Stack stack, int depth) {
            this.stack = stack;
            this.depth = depth;
        }
    }

    private static final Edge[] NONE = {};
    private static final ThreadLocal<Stack> STACKS = new ThreadLocal<Stack>();
    private static final Latch latch = new Latch();
    private static final Node[] LIMITED = {new Node(null, 0, 0, 0, 0, -1), new Node(null, 0, 0, 0, 1, -1)};
    private static final ArrayList<ArrayList<Node>> roots = new ArrayList<ArrayList<Node>>(); // by class number
    private static ArrayList<Node> met = new ArrayList<Node>(); // in the open window

    private static Stack stack() {
        Stack s = STACKS.get();
        if (s == null) {
            s = new Stack();
            STACKS.set(s);
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
        f.name = null;
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
        f.constructs = false;
        f.stack.depth = f.depth + 1;
    }

    /** It calls another constructor for its own object. */
    public static void construct(Frame f, int call, String name) {
        f.call = call;
        f.name = name;
        f.constructs = true;
        f.stack.depth = f.depth + 1;
    }

    /** A method returns. */
    public static void end(Frame f) {
        f.stack.depth = f.depth;
    }

    /** An exception leaves it, and with it the constructors that have called it for their objects. */
    public static void fail(Frame f) {
        Frame[] frames = f.stack.frames;
        int depth = f.depth;
        while (depth > 0 && frames[depth - 1].constructs && frames[depth].direct) {
            depth--;
        }
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
        if (name == null) {
            return root(c, n, 1);
        }
        if (from.calls < 0) {
            return called(names, name) && (name.charAt(0) == Wire.CHAIN_INSIDE || directly(top.c))
                    ? from : root(c, n, 1);
        }
        int call = top.call;
        Edge e = find(from.edges, call, c, n);
        if (e == null) {
            e = add(from, call, c, n, called(names, name), name.charAt(0) == Wire.CHAIN_INSIDE);
        }
        if (e.certain) {
            return e.direct != null ? e.direct : e.outside;
        }
        return directly(top.c) ? e.direct : e.outside;
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
        boolean mine = latch.lock();
        try {
            while (roots.size() <= c) {
                roots.add(null);
            }
            ArrayList<Node> all = roots.get(c);
            if (all == null) {
                all = new ArrayList<Node>();
                roots.set(c, all);
            }
            int at = 2 * n + level;
            while (all.size() <= at) {
                all.add(null);
            }
            Node r = all.get(at);
            if (r == null) {
                r = new Node(null, 0, c, n, level, 0);
                all.set(at, r);
            }
            return r;
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    /** Writes the contexts that were met in the window that closes, each behind the one above it. */
    static void write(Out out) {
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
