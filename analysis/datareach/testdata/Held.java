package held;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.SequenceInputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.Vector;

/**
 * One try for each way by which what fails comes out of a container. Each
 * expectation names the classes whose read() may throw into the method's catch
 * where containers are told apart; expect-merged where they are not.
 */
final class Held {
    static class Fails0 extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException();
        }
    }

    static class Fails1 extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException();
        }
    }

    static class Fails2 extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException();
        }
    }

    /** A container that is no collection: it keeps and gives back objects of any type. */
    static class Cell<T> {
        private Object held;

        void put(T t) {
            held = t;
        }

        @SuppressWarnings("unchecked")
        T take() {
            return (T) held;
        }
    }

    // A container of a container.
    // expect nested Fails0
    // expect-merged nested Fails0 Fails1 Fails2
    static void nested() {
        Map<String, List<InputStream>> a = new LinkedHashMap<>(), b = new LinkedHashMap<>();
        List<InputStream> first = new ArrayList<>(), second = new ArrayList<>();
        first.add(new Fails0());
        second.add(new Fails1());
        a.put("a", first);
        b.put("b", second);
        try {
            for (Map.Entry<String, List<InputStream>> e : a.entrySet()) {
                for (InputStream in : e.getValue()) {
                    in.read();
                }
            }
            b.clear();
        } catch (IOException e) {
            System.exit(1);
        }
    }

    // What is put into each of two lists by one call comes out of both.
    // expect both Fails0 Fails1
    // expect-merged both Fails0 Fails1 Fails2
    static void both() {
        List<InputStream> a = new ArrayList<>(), b = new ArrayList<>();
        for (List<InputStream> list : Arrays.asList(a, b)) {
            list.add(new Fails0());
        }
        b.add(new Fails1());
        try {
            b.get(0).read();
        } catch (IOException e) {
            System.exit(2);
        }
    }

    // Static methods that containers call to move elements.
    // expect sorted Fails0
    // expect-merged sorted Fails0 Fails1 Fails2
    static void sorted() {
        List<InputStream> a = new ArrayList<>(), b = new ArrayList<>();
        a.add(new Fails0());
        b.add(new Fails1());
        Comparator<InputStream> same = (x, y) -> 0;
        a.sort(same);
        b.sort(same);
        try {
            a.get(0).read();
        } catch (IOException e) {
            System.exit(3);
        }
    }

    // addAll passes on what another list has.
    // expect added Fails0 Fails1
    // expect-merged added Fails0 Fails1 Fails2
    static void added() {
        List<InputStream> a = new LinkedList<>(), b = new ArrayList<>();
        a.add(new Fails0());
        b.add(new Fails1());
        a.addAll(b);
        try {
            a.iterator().next().read();
        } catch (IOException e) {
            System.exit(4);
        }
    }

    // expect queued Fails1
    // expect-merged queued Fails0 Fails1
    static void queued() {
        ArrayDeque<InputStream> a = new ArrayDeque<>(), b = new ArrayDeque<>();
        a.add(new Fails0());
        b.add(new Fails1());
        try {
            b.poll().read();
        } catch (IOException e) {
            System.exit(5);
        }
    }

    // expect tree Fails0
    // expect-merged tree Fails0 Fails1 Fails2
    static void tree() {
        TreeMap<String, InputStream> a = new TreeMap<>(), b = new TreeMap<>();
        a.put("a", new Fails0());
        b.put("b", new Fails1());
        try {
            a.firstEntry().getValue().read();
        } catch (IOException e) {
            System.exit(6);
        }
    }

    // A view keeps nothing itself, and one factory makes all of them: merged.
    // expect view Fails0 Fails1
    // expect-merged view Fails0 Fails1 Fails2
    static void view() {
        List<InputStream> a = new ArrayList<>(), b = new ArrayList<>();
        a.add(new Fails0());
        b.add(new Fails1());
        List<InputStream> x = Collections.unmodifiableList(a), y = Collections.unmodifiableList(b);
        try {
            x.get(0).read();
            y.size();
        } catch (IOException e) {
            System.exit(7);
        }
    }

    // expect cell Fails1
    // expect-merged cell Fails0 Fails1
    static void cell() {
        Cell<InputStream> a = new Cell<>(), b = new Cell<>();
        a.put(new Fails0());
        b.put(new Fails1());
        try {
            b.take().read();
        } catch (IOException e) {
            System.exit(8);
        }
    }

    // Section 4.4 of paper 000: the streams come out of a vector that the JDK makes.
    // expect sequence Fails0 Fails1
    // expect-merged sequence Fails0 Fails1 Fails2
    static void sequence() {
        Vector<InputStream> other = new Vector<>();
        other.add(new Fails2());
        Enumeration<InputStream> others = other.elements();
        InputStream in = new SequenceInputStream(new Fails0(), new Fails1());
        try {
            in.read();
        } catch (IOException e) {
            System.exit(9);
        }
        others.nextElement();
    }

    // Removing is taking out as well.
    // expect removed Fails2
    // expect-merged removed Fails0 Fails1 Fails2
    static void removed() {
        Map<String, InputStream> a = new HashMap<>();
        List<InputStream> b = new ArrayList<>();
        a.put("a", new Fails2());
        b.add(new Fails1());
        try {
            a.remove("a").read();
            b.clear();
        } catch (IOException e) {
            System.exit(10);
        }
    }

    // Readers, each over its own stream: the JDK makes the decoders in a static method.
    // expect readers Fails0
    // expect-merged readers Fails0 Fails1 Fails2
    static void readers() {
        Reader a = new InputStreamReader(new Fails0()), b = new InputStreamReader(new Fails1());
        try {
            new BufferedReader(a).readLine();
        } catch (IOException e) {
            System.exit(11);
        }
        try {
            b.read();
        } catch (IOException e) {
            System.exit(12);
        }
    }

    public static void main(String[] args) {
        nested();
        both();
        sorted();
        added();
        queued();
        tree();
        view();
        cell();
        sequence();
        removed();
        readers();
    }
}
