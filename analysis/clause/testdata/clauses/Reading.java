package clauses;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/** Calls in a try that only read prepare nothing; those that set something up do. */
public class Reading {
    interface Feed { String take() throws IOException; }

    private String engine = "engine";
    private int turns;
    private final StringBuilder filled = new StringBuilder();
    private Box lazy;

    /** The object of an enclosing class, read by what old compilers add for that. */
    class Inner {
        /** It fills what the outer object has: another object, however the compiler gets there. */
        String fills(Feed f) {
            try {
                filled.append(f.take());
                return f.take();
            } catch (IOException e) {   //@ clause("open") prepared("object Reading.filled: StringBuilder.append > clause") prepared[release8]
                return filled.toString();
            }
        }

        String outer(Feed f) {
            try {
                return engine.trim() + f.take();
            } catch (IOException e) {   //@ clause[release8]("open") clause("unaffected") prepared
                return describe();
            }
        }

        /** The accessor for a write. */
        String counts(Feed f) {
            try {
                turns++;
                return f.take();
            } catch (IOException e) {   //@ clause("open") prepared("field Reading.turns: ? > clause") prepared[release8]("field Reading.turns: Reading.access > clause", "object Inner.this$0: Reading.access > clause")
                return "after " + turns;
            }
        }
    }

    String describe() { return "of " + engine; }

    static class Shelf {
        private final Box box = new Box("box");

        Box box() { return box; }
    }

    static class Box {
        private String name;
        private int uses;
        private List<String> items = new ArrayList<>();
        private String[] slots = new String[4];

        Box(String name) { this.name = name; }

        String name() { return name; }
        List<String> items() { return items; }
        String[] slots() { return slots; }
        void rename(String to) { name = to; }
        String used() { uses++; return name; }
        boolean isNamed(String other) { return label("box").equals(other) || name.length() > longest(other); }
        private String label(String kind) { return kind + " " + name; }
        private static int longest(String s) { int n = 0; for (int i = 0; i < s.length(); i++) n = Math.max(n, i); return n; }
        int parity(int n) { return n == 0 ? uses : oddity(n - 1); }
        private int oddity(int n) { return n == 0 ? 1 - uses : parity(n - 1); }
        Box copy() { Box b = new Box(name); b.uses = uses; return b; }
        void note(StringBuilder to) { to.append(name); }
    }

    static final class Point {
        private final int[] at;
        Point(int... at) { this.at = at; }
        int[] at() { return at; }
        int x() { return at[0]; }
    }

    private static void use(Box b) { System.out.println(b); }
    private static void use(Shelf s) { System.out.println(s); }

    String getter(Box b, Feed f) {
        try {
            return b.name() + f.take();
        } catch (IOException e) {       //@ clause("open") prepared
            use(b);
            return "";
        }
    }

    String pure(Box b, Feed f) {
        try {
            return b.isNamed("x") ? "" : f.take();
        } catch (IOException e) {       //@ clause("open") prepared
            use(b);
            return "";
        }
    }

    int recursive(Box b, Feed f) {
        try {
            return b.parity(3) + f.take().length();
        } catch (IOException e) {       //@ clause("open") prepared
            use(b);
            return 0;
        }
    }

    /** It writes, but only to what it makes. */
    String copies(Box b, Feed f) {
        try {
            Box c = b.copy();
            c.rename("copy");
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared
            use(b);
            return "";
        }
    }

    int record(Point p, Feed f) {
        try {
            return p.x() + f.take().length();
        } catch (IOException e) {       //@ clause("open") prepared
            System.out.println(p);
            return 0;
        }
    }

    int size(ArrayList<String> list, Feed f) {
        try {
            return list.size() + f.take().length();
        } catch (IOException e) {       //@ clause("open") prepared
            return list.hashCode();
        }
    }

    int walks(ArrayList<String> list, Feed f) {
        try {
            int n = 0;
            for (String s : list) n += s.length();
            return n + f.take().length();
        } catch (IOException e) {       //@ clause("open") prepared
            return list.hashCode();
        }
    }

    /** The iterator takes out of the list. */
    int removes(ArrayList<String> list, Feed f) {
        try {
            Iterator<String> i = list.iterator();
            i.next();
            i.remove();
            return f.take().length();
        } catch (IOException e) {       //@ clause("open") prepared("object list: Iterator.remove > clause")
            return list.hashCode();
        }
    }

    String setter(Box b, Feed f) {
        try {
            b.rename("x");
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object b: Box.rename > clause")
            use(b);
            return "";
        }
    }

    /** A getter that counts. */
    String counting(Box b, Feed f) {
        try {
            return b.used() + f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object b: Box.used > clause")
            use(b);
            return "";
        }
    }

    int makes(Feed f) {
        ByteArrayOutputStream out = null;
        try {
            out = new ByteArrayOutputStream();
            return f.take().length();
        } catch (IOException e) {       //@ clause("open") prepared("local out: a new ByteArrayOutputStream > clause", "object out: new ByteArrayOutputStream > clause")
            System.out.println(out.hashCode());
            return 0;
        }
    }

    /** What a getter gives is changed: the call that changes it is named. */
    String through(Box b, Feed f) {
        try {
            b.items().add("x");
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object b: List.add > clause")
            use(b);
            return "";
        }
    }

    /** What two getters give, one after the other, is changed. */
    String throughTwo(Shelf s, Feed f) {
        try {
            s.box().items().add("x");
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object s: List.add > clause")
            use(s);
            return "";
        }
    }

    String slot(Box b, Feed f) {
        try {
            b.slots()[0] = f.take();
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object b: an element > clause")
            use(b);
            return "";
        }
    }

    /** The argument is changed, and the object is read. */
    String argument(Box b, Feed f) {
        StringBuilder text = new StringBuilder();
        try {
            b.note(text);
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object text: Box.note > clause", "object b: Box.note > clause")
            use(b);
            return text.toString();
        }
    }

    /** The first call sets the field up. */
    private Box lazy() {
        if (lazy == null) lazy = new Box("lazy");
        return lazy;
    }

    String initialises(Feed f) {
        try {
            return lazy().name() + f.take();
        } catch (IOException e) {       //@ clause("open") prepared("field Reading.lazy: Reading.lazy > clause")
            return lazy == null ? "" : "made";
        }
    }

    String takes(Deque<String> queue, Feed f) {
        try {
            return queue.poll() + f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object queue: Deque.poll > clause")
            return queue.peek();
        }
    }

    /** In a loop a call works on what it made the time before. */
    String chains(int n, Feed f) {
        try {
            return f.take();
        } catch (IOException e) {       //@ clause("unaffected") prepared
            StringBuilder made = new StringBuilder();
            for (int i = 0; i < n; i++) made = made.append(i);
            return made.toString();
        }
    }

    /** Two calls make each other's operands, and one of them began with what the try filled. */
    String swaps(StringBuilder other, int n, Feed f) {
        try {
            other.append(n);
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object other: StringBuilder.append > clause")
            StringBuilder made = new StringBuilder();
            for (int i = 0; i < n; i++) {
                StringBuilder last = made.append(i).append(made);
                made = other.append(last);
                other = last;
            }
            return made.toString();
        }
    }

    /** Calls in loops have receivers that they, and each other, have given. */
    static class Words {
        String all = "";
        Words and(Object o) { all += o; return this; }
        Words next() { return new Words(); }

        static Words of(int n) {
            Words w = new Words();
            for (int i = 0; i < n; i++) w = w.and(i);
            return w;
        }

        static Words at(int n) {
            Words w = new Words();
            for (int i = 0; i < n; i++) w = w.next();
            return w;
        }

        static Words by(int... steps) {
            Words w = new Words();
            for (int s : steps) {
                switch (s) {
                    case 0: w = w.next(); break;
                    case 1: w = w.next().and(s); break;
                    case 2: w = w.next().next().and(s); break;
                    case 3: w = w.and(s); break;
                    case 4: w = w.and(s).next(); break;
                    case 5: w = w.and(s).and(s); break;
                    case 6: w = w.and(s).and(s).next(); break;
                    case 7: w = w.next().next(); break;
                    case 8: w = w.next().next().next(); break;
                    default: w = w.and(s).next().and(s);
                }
            }
            return w;
        }
    }

    String loops(Feed f) {
        Words w = new Words();
        try {
            w = Words.of(f.take().length());
            return w.all + f.take();
        } catch (IOException e) {       //@ clause("open") prepared("field Words.all: Words.of > clause returns", "local w: the result of Words.of > clause")
            return w.all;
        }
    }

    String walks(Feed f) {
        Words w = new Words();
        try {
            Words.at(f.take().length());
            return f.take();
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return w.all;
        }
    }

    String switches(Feed f) {
        Words w = new Words();
        try {
            Words.by(f.take().length(), 1);
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("field Words.all: Words.by > clause returns")
            return w.all;
        }
    }

    String inTheTry(int n, Feed f) {
        Words w = new Words(), other = new Words();
        try {
            for (int i = 0; i < n; i++) w = w.next().and(i);
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("field Words.all: Words.and > clause returns")
            return other.all;
        }
    }

    public static void main(String[] args) throws Exception {
        int[] n = {0};
        Feed f = () -> { n[0]++; return "x"; };
        Reading r = new Reading();
        Inner in = r.new Inner();
        in.outer(f);
        in.counts(f);
        in.fills(f);
        Box b = new Box("a");
        r.getter(b, f);
        r.pure(b, f);
        r.recursive(b, f);
        r.copies(b, f);
        r.record(new Point(1, 2), f);
        System.out.println(new Point(3).at());
        ArrayList<String> list = new ArrayList<>();
        r.size(list, f);
        r.walks(list, f);
        r.removes(list, f);
        r.makes(f);
        r.setter(b, f);
        r.counting(b, f);
        r.through(b, f);
        r.throughTwo(new Shelf(), f);
        r.slot(b, f);
        r.argument(b, f);
        r.initialises(f);
        r.takes(new ArrayDeque<>(list), f);
        r.chains(3, f);
        r.swaps(new StringBuilder(), 3, f);
        r.loops(f);
        r.walks(f);
        r.switches(f);
        r.inTheTry(3, f);
    }
}
