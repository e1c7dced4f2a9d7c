package comp;

import java.util.*;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.*;

/** A component of which tests compare the call chains that are recorded with the stacks of its threads. */
public class Comp {
    public static volatile Runnable hook;

    static void here() {
        Runnable h = hook;
        if (h != null) {
            h.run();
        }
    }

    public static void after() {
        here();
    }

    public static int recursive(int n) {
        here();
        return n == 0 ? 0 : 1
                + recursive(n - 1);
    }

    public static void down(int n) {
        here();
        if (n == 0) {
            throw new IllegalStateException();
        }
        long a = n;
        double b = n;
        try {
            other(n - 1);
        } finally {
            after();
        }
        here();
        if (a + b < 0) {
            after();
        }
    }

    static void other(int n) {
        here();
        synchronized (Comp.class) {
            down(n);
        }
    }

    public static int caught(int n) {
        for (int i = 0; i < 3; i++) {
            try {
                down(n);
            } catch (IllegalStateException e) {
                after();
            }
        }
        here();
        return n;
    }

    public static class Base {
        Base(int n) {
            here();
            if (n < 0) {
                throw new IllegalArgumentException();
            }
        }
    }

    public static class Derived extends Base {
        public Derived(int n) {
            super(n);
            here();
            if (n > 9) {
                down(1);
            }
        }
    }

    public static class Checked extends Base {
        public Checked(int n) {
            super(
                    check(n));
            here();
        }

        static int check(int n) {
            here();
            if (n == 3) {
                throw new IllegalArgumentException();
            }
            return n;
        }
    }

    /** Its supertype, which is not of the component, throws. */
    public static class Outer extends ArrayList<Object> {
        public Outer(int n) {
            super(n);
            here();
        }
    }

    /** Its supertype calls the component back. */
    public static class Copied extends CopyOnWriteArrayList<Object> {
        public Copied(Collection<Object> c) {
            super(c);
            here();
        }
    }

    public static class Source extends AbstractCollection<Object> {
        final boolean fails;

        public Source(boolean fails) {
            this.fails = fails;
        }

        @Override
        public Object[] toArray() {
            here();
            if (fails) {
                throw new IllegalStateException();
            }
            return new Object[0];
        }

        @Override
        public Iterator<Object> iterator() {
            return new Counting(Collections.emptyIterator());
        }

        @Override
        public int size() {
            return 1;
        }
    }

    public static Object make(Supplier<Object> s) {
        try {
            return s.get();
        } catch (IllegalArgumentException | IllegalStateException e) {
            after();
            return null;
        }
    }

    public static void constructs(int n) {
        make(() -> new Derived(n));
        make(() -> new Checked(n));
        make(() -> new Outer(n));
        make(Comp::new);
        after();
    }

    public Comp() {
        here();
    }

    public static List<Integer> sorted(List<Integer> list) {
        List<Integer> out = new ArrayList<>(list);
        out.sort((a, b) -> compared(a, b));
        here();
        return out;
    }

    static int compared(int a, int b) {
        here();
        if (a == 13) {
            throw new IllegalStateException();
        }
        return Integer.compare(a, b);
    }

    /** What it iterates over may be of the component, directly or behind a wrapper. */
    public static class Counting implements Iterator<Object> {
        final Iterator<Object> inner;

        public Counting(Iterator<Object> inner) {
            this.inner = inner;
        }

        @Override
        public boolean hasNext() {
            here();
            return inner.hasNext();
        }

        @Override
        public Object next() {
            here();
            return inner.next();
        }
    }

    public static class Items extends AbstractList<Object> {
        @Override
        public Object get(int i) {
            here();
            return i;
        }

        @Override
        public int size() {
            return 2;
        }

        @Override
        public Iterator<Object> iterator() {
            return new Counting(super.iterator());
        }
    }

    public static int walk(Iterator<Object> i) {
        int n = 0;
        while (i.hasNext()) {
            i.next();
            n++;
        }
        return n;
    }

    /** It is added to directly, by a wrapper, and by what it inherits. */
    public static class Adding extends AbstractList<Object> {
        @Override
        public void add(int at, Object o) {
            here();
        }

        @Override
        public Object get(int at) {
            here();
            return null;
        }

        @Override
        public int size() {
            return 2;
        }
    }

    /** As Adding, but that it inherits nothing that is called. */
    public static class Putting extends Adding {
        @Override
        public boolean add(Object o) {
            here();
            return true;
        }
    }

    public static void adds(List<Object> list, int deep) {
        here();
        if (deep > 0) {
            adds(list, deep - 1);
            return;
        }
        for (Object o : new Object[] {1, "x"}) {
            list.add(o);
            list.get(0);
            list.add(0, o);
        }
        accepts(list::add);
    }

    /** A method reference is an object of one class, whatever it is bound to. */
    static void accepts(Function<Object, Object> f) {
        f.apply("y");
        here();
    }

    public enum Kind { ONE, OTHER }

    /** Which of them goes on is decided by what is passed. */
    public static void kinds(boolean none) {
        kind(Kind.ONE);
        kind(Kind.OTHER);
        kind(none ? null : Kind.ONE);
    }

    static void kind(Kind k) {
        here();
        if (k == Kind.OTHER) {
            after();
        } else if (k != Kind.ONE) {
            recursive(0);
        } else {
            caught(0);
        }
    }

    public static class Lazy {
        static final int VALUE = init();

        static int init() {
            here();
            return caught(1);
        }

        public static int value() {
            here();
            return VALUE;
        }
    }

    public static int lazily() {
        here();
        return Lazy.value();
    }

    public static Thread starts() {
        Thread t = new Thread(() -> caught(2));
        t.start();
        return t;
    }

    public static int deep(int n) {
        return n == 0 ? 0 : 1
                + deep(n - 1);
    }

    public static int overflows() {
        try {
            return deep(10_000_000);
        } catch (StackOverflowError e) {
            after();
            return -1;
        }
    }

    /** A field of a library's class is read behind the call: its initialiser calls the component. */
    public static Object late(List<Object> list) {
        list.add("x");
        return ext.Outside.VALUE;
    }

    /** As late, behind a call that leads nowhere else. */
    public static Object later() {
        after();
        return ext.Other.VALUE;
    }
}
