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

    public static volatile Consumer<String> saying;

    /**
     * Says that the line which calls this calls a method, too, which cannot look at the stack; or,
     * behind a !, that code outside the component does it there; null: neither.
     */
    static void says(String method) {
        Consumer<String> s = saying;
        if (s != null && method != null) {
            s.accept(method);
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

    /** What its supertype throws comes from outside the component. */
    public static class Deeper extends Outer {
        public Deeper(int n) {
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

    /** Its methods call nothing. Some of what is passed to them makes them fail. */
    public static class Leaf {
        int value = 3;
        int[] list = new int[2];
        Leaf next;

        int get() {
            return value;
        }

        int divide(int n) {
            return value / n;
        }

        int at(int i) {
            return list[i];
        }

        int follow() {
            return next.value;
        }

        static int twice(int n) {
            return n + n;
        }
    }

    public static class LeafList extends AbstractList<Object> {
        int size = 2;

        @Override
        public Object get(int i) {
            return null;
        }

        @Override
        public int size() {
            return size;
        }
    }

    /** Its initialiser calls nothing. */
    static class Plain {
        static int count = 5;

        static int read() {
            return count;
        }
    }

    static class Busy {
        static final int VALUE = init();

        static int init() {
            int n = Leaf.twice(1); says("Comp$Leaf.twice");
            return n + new Leaf().value;
        }
    }

    /** Its supertype is made of what leaves return. */
    public static class Made extends Base {
        public Made(int n) {
            super(Leaf.twice(n)); says("Comp$Leaf.twice");
            here();
        }
    }

    public static int leaves(Leaf l, int n) {
        says("Comp$Leaf.get"); int k = l.get();
        if (n > 0) {
            k += leaves(l, n - 1);
        }
        says("Comp$Leaf.twice"); return Leaf.twice(k);
    }

    /** Four ways: the leaf divides, or reads an array or a field, where nothing is. The last one does not fail. */
    public static int breaks(Leaf l, int how) {
        switch (how) {
            case 0:
                says("Comp$Leaf.divide"); return l.divide(0);
            case 1:
                says("Comp$Leaf.at"); return l.at(7);
            case 2:
                says("Comp$Leaf.follow"); return l.follow();
            default:
                says("Comp$Leaf.get"); return l.get();
        }
    }

    public static int handles(Leaf l, int how) {
        int k = 0;
        try {
            k = breaks(l, how);
        } catch (ArithmeticException e) {
            k = l.get(); says("Comp$Leaf.get");
            after();
        } catch (ArrayIndexOutOfBoundsException | NullPointerException e) {
            after();
            k = Leaf.twice(2); says("Comp$Leaf.twice");
        } finally {
            k += l.at(1); says("Comp$Leaf.at");
        }
        here();
        return k;
    }

    /** The leaf fails here, and a method of the same name is called behind it. */
    public static int goesOn(Leaf l, int deep) {
        if (deep > 0) {
            return goesOn(l, deep - 1);
        }
        int k = 0;
        for (int i = 0; i < 3; i++) {
            try {
                says("Comp$Leaf.at"); k += l.at(i);
            } catch (ArrayIndexOutOfBoundsException e) {
                says("Comp$Leaf.divide"); k += l.divide(1);
                after();
            }
        }
        made(k);
        return k;
    }

    static void made(int n) {
        make(() -> new Made(n));
        make(() -> {
            here();
            return new Outer(-n);
        });
        int k = Leaf.twice(n); says("Comp$Leaf.twice");
        make(() -> new Made(-n));
        k = Leaf.twice(k); says("Comp$Leaf.twice");
    }

    /** What is in the list is read directly, or by what a wrapper does, which its name says. */
    public static int measured(List<Object> list, String name, int deep) {
        if (deep > 0) {
            return measured(list, name, deep - 1);
        }
        int n = 0;
        for (int i = 0; i < 2; i++) {
            says(name + "size"); n += list.size();
            says(name + "get"); list.get(i);
            says("!Comp$LeafList.size"); list.isEmpty();
            here();
        }
        return n;
    }

    public static int initialises() {
        here();
        says("!Comp$Plain.<clinit>"); int n = Plain.count;
        says("Comp$Plain.read"); n += Plain.read();
        n += Busy.VALUE;
        after();
        return n;
    }

    /** The initialiser of a library's class calls the component behind a leaf. */
    public static Object latest(List<Object> list) {
        says("Comp$LeafList.size"); list.size();
        return ext.Latest.VALUE;
    }

    public static int deepLeaves(int n) {
        return n == 0 ? 0 : Leaf.twice(1)
                + deepLeaves(n - 1);
    }

    public static int overflowsLeaves() {
        try {
            return deepLeaves(10_000_000);
        } catch (StackOverflowError e) {
            says("Comp$Leaf.twice"); return Leaf.twice(0);
        }
    }
}
