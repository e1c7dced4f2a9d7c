package catchlens.rt.inject;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts the executions of the tries of one catch in one window, for each thread, and tells which of
 * them the catch ends: the latest one that has begun at the depth of the stack at which the catch
 * runs. Executions of two runs are the same if they have the same number on threads that have the same name, and
 * if all that began and was caught before them on their thread is the same.
 */
public final class Executions {
    /** More executions than these are not counted: each takes about a microsecond. */
    static final int MOST = 100000;
    /** Executions whose exceptions are kept. */
    static final int MOST_KEPT = 64;

    /** One execution in which the catch caught an exception. */
    static final class White {
        final String thread;
        final int ordinal; // from 0, on its thread
        final long history; // of its thread, before it began
        final Kept kept;

        White(String thread, int ordinal, long history, Kept kept) {
            this.thread = thread;
            this.ordinal = ordinal;
            this.history = history;
            this.kept = kept;
        }
    }

    /** What one thread does. */
    static final class Line {
        final String name; // "": the thread of the test
        final String kind; // the name without numbers
        int begun;
        int caught;
        long history = 1;
        // Executions that may not have ended, outermost first.
        int open;
        int[] depths = new int[8];
        int[] ordinals = new int[8];
        long[] before = new long[8];

        Line(String name, String kind) {
            this.name = name;
            this.kind = kind;
        }

        private void begin(int depth) {
            while (open > 0 && depths[open - 1] >= depth) {
                open--;
            }
            if (open == depths.length) {
                depths = java.util.Arrays.copyOf(depths, 2 * open);
                ordinals = java.util.Arrays.copyOf(ordinals, 2 * open);
                before = java.util.Arrays.copyOf(before, 2 * open);
            }
            depths[open] = depth;
            ordinals[open] = begun++;
            before[open] = history;
            open++;
            history = history * 31 + 1;
        }

        /** The index, among the open ones, of the execution at a depth; -1: none. */
        private int at(int depth) {
            while (open > 0 && depths[open - 1] > depth) {
                open--;
            }
            return open > 0 && depths[open - 1] == depth ? open - 1 : -1;
        }
    }

    /** What a clean run of a test showed. */
    static final class Heard {
        final List<White> whites = new ArrayList<White>();
        /** Kinds of threads that cannot be told apart, on which the catch ended all executions. */
        final Set<String> allWhite = new HashSet<String>();
        /** Why some of the executions in which the catch ran cannot be told apart from others; null: all can be. */
        String told;

        /** The white execution of a thread with a number, null: it is none. */
        White at(Line l, int ordinal) {
            White of = null;
            for (White w : whites) {
                if (w.thread.equals(l.name) && w.ordinal == ordinal) {
                    return w;
                }
                if (of == null && allWhite.contains(l.kind) && w.thread.startsWith(l.kind)) {
                    of = w;
                }
            }
            return of;
        }
    }

    private final Thread tester;
    private final Map<Thread, Line> lines = new IdentityHashMap<Thread, Line>();
    private final Map<String, List<Thread>> kinds = new HashMap<String, List<Thread>>();
    private final Set<String> racing = new HashSet<String>();
    private final List<White> whites = new ArrayList<White>();
    private final boolean keep;
    private int begun;
    private int strays; // catches that ended no execution that was seen to begin
    private int unkept;
    private boolean deep;

    Executions(Thread tester, boolean keep) {
        this.tester = tester;
        this.keep = keep;
    }

    /** An execution begins on this thread; its line, or null where no more are counted. */
    synchronized Line begin(int depth) {
        if (++begun > MOST) {
            return null;
        }
        deep |= depth >= Depth.MOST;
        Line l = line(Thread.currentThread());
        l.begin(depth);
        return l;
    }

    /** The line of this thread where an execution is open at a depth: that is its last open one then. */
    synchronized Line inside(int depth) {
        Line l = begun > MOST ? null : lines.get(Thread.currentThread());
        return l == null || l.at(depth) < 0 ? null : l;
    }

    /** The catch has caught e on this thread. */
    synchronized void caught(Throwable e, int depth) {
        if (begun > MOST) {
            return;
        }
        Line l = lines.get(Thread.currentThread());
        int i = l == null ? -1 : l.at(depth);
        if (i < 0) {
            strays++;
            return;
        }
        l.history = l.history * 31 + 2 + l.ordinals[i];
        l.open = i;
        l.caught++;
        if (!keep) {
            return;
        }
        Kept k = whites.size() < MOST_KEPT ? Kept.of(e) : null;
        if (k == null) {
            unkept++;
            return;
        }
        try {
            k.prepared = Kept.wasPrepared(e);
        } catch (Exception t) {
            k.prepared = true; // it is not known
        }
        for (White w : whites) {
            k.constant |= w.kept.e == e;
            w.kept.constant |= w.kept.e == e;
        }
        whites.add(new White(l.name, l.ordinals[i], l.before[i], k));
    }

    /** The window closes. */
    synchronized void settle() {
        for (White w : whites) {
            w.kept.settle();
        }
    }

    /** How many executions have begun. */
    synchronized int begun() {
        return begun;
    }

    private Line line(Thread t) {
        Line l = lines.get(t);
        if (l != null) {
            return l;
        }
        if (t == tester) {
            l = new Line("", "");
        } else {
            String kind = kindOf(t.getName());
            List<Thread> same = kinds.get(kind);
            if (same == null) {
                same = new ArrayList<Thread>();
                kinds.put(kind, same);
            }
            for (Thread other : same) {
                if (other.isAlive()) {
                    racing.add(kind);
                }
            }
            same.add(t);
            l = new Line(kind + " " + same.size(), kind);
        }
        lines.put(t, l);
        return l;
    }

    /** A thread's name without the numbers in it, which differ from run to run. */
    private static String kindOf(String name) {
        StringBuilder b = new StringBuilder("thread ");
        boolean digits = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean digit = c >= '0' && c <= '9';
            if (!digit) {
                b.append(c);
            } else if (!digits) {
                b.append('#');
            }
            digits = digit;
        }
        return b.toString();
    }

    /** What the window showed. */
    synchronized Heard heard() {
        Heard h = new Heard();
        Set<String> mixed = new HashSet<String>();
        for (Line l : lines.values()) {
            if (l.caught < l.begun) {
                mixed.add(l.kind);
            }
        }
        for (White w : whites) {
            String kind = racingKindOf(w.thread);
            if (kind == null) {
                h.whites.add(w);
            } else if (mixed.contains(kind)) {
                h.told = "threads named " + kind.substring("thread ".length()) + " execute the try at the same time";
            } else {
                h.allWhite.add(kind);
                h.whites.add(w);
            }
        }
        if (begun > MOST) {
            h.whites.clear();
            h.told = "the try is executed more than " + MOST + " times";
        } else if (deep) {
            h.whites.clear();
            h.told = "the try is executed deeper on the stack than the JVM counts";
        } else if (strays > 0) {
            h.told = "the catch ends executions that began before the test";
        } else if (unkept > 0 && whites.size() < MOST_KEPT) {
            h.told = "an exception that was caught cannot be kept";
        }
        return h;
    }

    private String racingKindOf(String thread) {
        for (String kind : racing) {
            if (thread.startsWith(kind + " ")) {
                return kind;
            }
        }
        return null;
    }
}
