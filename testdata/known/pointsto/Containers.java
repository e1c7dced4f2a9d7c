package pointsto;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.io.SequenceInputStream;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.logging.LogManager;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** What comes out of a container was put in, into this one or, for all that most configurations know, another. */
public class Containers {
    static class First implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("first"); //@ site("first")
        }
    }

    static class Second implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("second"); //@ site("second")
        }
    }

    static int lists() {
        int caught = 0;
        List<Thrower> a = new ArrayList<>();
        List<Thrower> b = new ArrayList<>();
        a.add(new First());
        b.add(new Second());
        try {
            a.get(0).act();
        } catch (Failure e) { //@ includes("first") excludes[obj-dr+]("second") experienced("first")
            caught++;
        }
        for (Thrower t : b) {
            try {
                t.act();
            } catch (Failure e) { //@ includes("second") excludes[obj-dr+]("first") experienced("second")
                caught++;
            }
        }
        Collections.sort(b, (x, y) -> 0);
        try {
            b.add(new Second());
            Collections.sort(b, (x, y) -> {
                throw new Broken("compare"); //@ site("compare")
            });
        } catch (Broken e) { //@ includes("compare") experienced("compare")
            caught++;
        }
        ArrayDeque<Thrower> queue = new ArrayDeque<>();
        queue.add(new First());
        try {
            queue.poll().act();
        } catch (Failure e) { //@ includes("first") experienced("first")
            caught++;
        }
        return caught;
    }

    static int maps() {
        int caught = 0;
        Map<String, Thrower> a = new HashMap<>();
        Map<String, Thrower> b = new HashMap<>();
        a.put("k", new First());
        b.put("k", new Second());
        try {
            a.get("k").act();
        } catch (Failure e) { //@ includes("first") excludes[obj-dr+]("second") experienced("first")
            caught++;
        }
        for (Map.Entry<String, Thrower> entry : b.entrySet()) {
            try {
                entry.getValue().act();
            } catch (Failure e) { //@ includes("second") excludes[obj-dr+]("first") experienced("second")
                caught++;
            }
        }
        Map<String, Thrower> sorted = new TreeMap<>(a);
        try {
            sorted.values().iterator().next().act();
        } catch (Failure e) { //@ includes("first") experienced("first")
            caught++;
        }
        try {
            new HashMap<String, Thrower>().computeIfAbsent("k", k -> new First()).act();
        } catch (Failure e) { //@ includes("first") experienced("first")
            caught++;
        }
        return caught;
    }

    static class Breaking implements Iterable<Thrower>, Iterator<Thrower> {
        @Override
        public Iterator<Thrower> iterator() {
            return this;
        }

        @Override
        public boolean hasNext() {
            return true;
        }

        @Override
        public Thrower next() {
            throw new Broken("next"); //@ site("next")
        }
    }

    static int iterators() {
        int caught = 0;
        try {
            for (Thrower t : new Breaking()) {
                caught += 100;
            }
        } catch (Broken e) { //@ includes("next") excludes[pta+]("compare") experienced("next")
            caught++;
        }
        return caught;
    }

    static int streams() {
        int caught = 0;
        try {
            Stream.of("a", "b").map(s -> {
                if (s.equals("b")) {
                    throw new Broken("mapped"); //@ site("mapped")
                }
                return s;
            }).collect(Collectors.toList());
        } catch (Broken e) { //@ includes("mapped") experienced("mapped")
            caught++;
        }
        try {
            Stream.<Thrower>of(new First()).filter(t -> t != null).findFirst().get().act();
        } catch (Failure e) { //@ includes("first") experienced("first")
            caught++;
        }
        try {
            Optional.<Thrower>of(new Second()).map(t -> t).get().act();
        } catch (Failure e) { //@ includes("second") experienced("second")
            caught++;
        }
        try {
            List.of("x").forEach(s -> {
                throw new Broken("forEach"); //@ site("forEach")
            });
        } catch (Broken e) { //@ includes("forEach") experienced("forEach")
            caught++;
        }
        return caught;
    }

    static class Unreadable extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("unreadable"); //@ site("unreadable")
        }
    }

    static class Broke extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("broke"); //@ site("broke")
        }
    }

    /** What reads for the properties that the JDK makes is not what reads for those made here. */
    static int properties() {
        int caught = 0;
        try {
            LogManager.getLogManager().readConfiguration(new Unreadable());
        } catch (IOException e) { //@ includes("unreadable") experienced("unreadable")
            caught++;
        }
        try {
            new Properties().load(new Broke());
        } catch (IOException e) { //@ includes("broke") excludes[obj-dr+]("unreadable") experienced("broke")
            caught++;
        }
        return caught;
    }

    /** Reads from one stream after the other. */
    static class Turns extends InputStream {
        private final Iterator<InputStream> rest;
        private InputStream in;

        Turns(InputStream... streams) {
            rest = Arrays.asList(streams).iterator();
            next();
        }

        private void next() {
            in = rest.hasNext() ? rest.next() : null;
        }

        @Override
        public int read() throws IOException {
            for (; in != null; next()) {
                int b = in.read();
                if (b >= 0) {
                    return b;
                }
            }
            return -1;
        }
    }

    /** A stream that takes others out of a container reads from its own. */
    static int sequences() {
        int caught = 0;
        InputStream a = new SequenceInputStream(new ByteArrayInputStream(new byte[0]), new Unreadable());
        InputStream b = new SequenceInputStream(new ByteArrayInputStream(new byte[0]), new Broke());
        try {
            a.read();
        } catch (IOException e) { //@ includes("unreadable") excludes[obj-dr+]("broke") experienced("unreadable")
            caught++;
        }
        try {
            b.read();
        } catch (IOException e) { //@ includes("broke") excludes[obj-dr+]("unreadable") experienced("broke")
            caught++;
        }
        InputStream c = new Turns(new ByteArrayInputStream(new byte[0]), new Unreadable());
        InputStream d = new Turns(new ByteArrayInputStream(new byte[0]), new Broke());
        try {
            c.read();
        } catch (IOException e) { //@ includes("unreadable") excludes[obj-dr+]("broke") experienced("unreadable")
            caught++;
        }
        try {
            d.read();
        } catch (IOException e) { //@ includes("broke") excludes[obj-dr+]("unreadable") experienced("broke")
            caught++;
        }
        return caught;
    }

    /** Tokens of a stream, which is wrapped as they are made. */
    static class Tokens {
        private final PushbackInputStream in;
        private final String name;

        Tokens(InputStream in, String name) {
            this.in = new PushbackInputStream(in);
            this.name = name;
        }

        int next() throws IOException {
            return in.read();
        }
    }

    /** A stream that reads from another one by way of further ones reads from its own. */
    static int wrapped(boolean first) {
        int caught = 0;
        try {
            new GZIPInputStream(new Unreadable()).read();
        } catch (IOException e) { //@ includes("unreadable") excludes[obj-dr+]("broke") experienced("unreadable")
            caught++;
        }
        try {
            new GZIPInputStream(new Broke()).read();
        } catch (IOException e) { //@ includes("broke") excludes[obj-dr+]("unreadable") experienced("broke")
            caught++;
        }
        Tokens a = new Tokens(new Unreadable(), "a");
        Tokens b = new Tokens(new Broke(), "b");
        Tokens c = new Tokens(first ? new Unreadable() : new Broke(), "c");
        try {
            a.next();
        } catch (IOException e) { //@ includes("unreadable") excludes[obj-dr+]("broke") experienced("unreadable")
            caught++;
        }
        try {
            b.next();
        } catch (IOException e) { //@ includes("broke") excludes[obj-dr+]("unreadable") experienced("broke")
            caught++;
        }
        try {
            c.next();
        } catch (IOException e) { //@ includes("broke", "unreadable") experienced("unreadable")
            caught++;
        }
        return caught;
    }

    static Optional<Thrower> held = Optional.of(new First());

    static int optionals() {
        int caught = 0;
        Optional<Thrower> other = Optional.ofNullable(new Second());
        try {
            held.get().act();
        } catch (Failure e) { //@ includes("first") excludes[obj-dr+]("second") experienced("first")
            caught++;
        }
        try {
            other.orElse(null).act();
        } catch (Failure e) { //@ includes("second") excludes[obj-dr+]("first") experienced("second")
            caught++;
        }
        Optional<Thrower> mapped = other.map(t -> t);
        for (int i = 0; i < 5; i++) {
            mapped = mapped.map(t -> t);
        }
        try {
            mapped.get().act();
        } catch (Failure e) { //@ includes("second") experienced("second")
            caught++;
        }
        return caught;
    }

    static Thrower madeFirst;
    static Thrower madeSecond;

    /** Each privileged action gives what it makes to who has asked for it. */
    @SuppressWarnings({"deprecation", "removal"})
    static int privileged() {
        int caught = 0;
        madeFirst = AccessController.doPrivileged((PrivilegedAction<Thrower>) First::new);
        madeSecond = AccessController.doPrivileged((PrivilegedAction<Thrower>) Second::new);
        try {
            madeFirst.act();
        } catch (Failure e) { //@ includes("first") excludes[obj-dr+]("second") experienced("first")
            caught++;
        }
        try {
            madeSecond.act();
        } catch (Failure e) { //@ includes("second") excludes[obj-dr+]("first") experienced("second")
            caught++;
        }
        return caught;
    }

    public static int run() {
        return lists() + maps() + iterators() + streams() + properties() + sequences() + wrapped(true) + optionals() + privileged();
    }
}
