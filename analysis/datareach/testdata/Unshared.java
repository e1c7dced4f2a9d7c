package unshared;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/**
 * One try for each way by which others may, or may not, come to know an object whose state decides
 * a throw. Each expectation names the classes whose throws may come to the method's catch.
 */
final class Unshared {
    // expect made none
    static void made() {
        try {
            new Gate().use();
        } catch (IOException e) {
            System.err.println(1);
        }
    }

    // It is closed after it is used.
    // expect closedAfter none
    static void closedAfter() {
        try (Gate g = new Gate()) {
            g.use();
        } catch (IOException e) {
            System.err.println(2);
        }
    }

    // expect closedBefore Gate
    static void closedBefore() {
        try {
            Gate g = new Gate();
            g.close();
            g.use();
        } catch (IOException e) {
            System.err.println(3);
        }
    }

    // The constructor opens it, and use asks for that.
    // expect opened none
    static void opened() {
        try {
            new Door(true).use();
        } catch (IOException e) {
            System.err.println(4);
        }
    }

    // expect notOpened Door
    static void notOpened(String[] args) {
        try {
            new Door(args.length > 1).use();
        } catch (IOException e) {
            System.err.println(5);
        }
    }

    // An object that another one works on.
    // expect wrapped none
    static void wrapped() {
        try {
            new Wrapper(new Gate()).use();
        } catch (IOException e) {
            System.err.println(6);
        }
    }

    // expect wrappedClosed Gate
    static void wrappedClosed() {
        try {
            Gate g = new Gate();
            Wrapper w = new Wrapper(g);
            w.close();
            g.use();
        } catch (IOException e) {
            System.err.println(7);
        }
    }

    static Gate fresh() {
        return new Gate();
    }

    // expect factory none
    static void factory() {
        try {
            fresh().use();
        } catch (IOException e) {
            System.err.println(8);
        }
    }

    static Gate last;

    static Gate known() {
        Gate g = new Gate();
        last = g;
        return g;
    }

    // expect factoryKeeps Gate
    static void factoryKeeps() {
        try {
            known().use();
        } catch (IOException e) {
            System.err.println(9);
        }
    }

    // expect inLoop none
    static void inLoop(String[] args) {
        try {
            for (String a : args) {
                Gate g = new Gate();
                g.use();
                g.close();
            }
        } catch (IOException e) {
            System.err.println(10);
        }
    }

    // What is used was closed one round before.
    // expect keptInLoop Gate
    static void keptInLoop(String[] args) {
        try {
            Gate before = new Gate();
            for (String a : args) {
                Gate g = new Gate();
                before.use();
                g.close();
                before = g;
            }
        } catch (IOException e) {
            System.err.println(11);
        }
    }

    // expect oneWay Gate
    static void oneWay(String[] args) {
        try {
            Gate g = new Gate();
            if (args.length > 1) {
                g.close();
            }
            g.use();
        } catch (IOException e) {
            System.err.println(12);
        }
    }

    static Gate kept;

    // expect intoStatic Gate
    static void intoStatic() {
        try {
            Gate g = new Gate();
            kept = g;
            closeKept();
            g.use();
        } catch (IOException e) {
            System.err.println(13);
        }
    }

    static void closeKept() {
        if (kept != null) {
            kept.close();
        }
    }

    // expect intoField Gate
    static void intoField(Holder h) {
        try {
            Gate g = new Gate();
            h.gate = g;
            h.close();
            g.use();
        } catch (IOException e) {
            System.err.println(14);
        }
    }

    // expect intoArray Gate
    static void intoArray() {
        try {
            Gate[] g = {new Gate()};
            g[0].close();
            g[0].use();
        } catch (IOException e) {
            System.err.println(15);
        }
    }

    // expect intoList Gate
    static void intoList() {
        try {
            Gate g = new Gate();
            List<Gate> list = new ArrayList<>();
            list.add(g);
            list.get(0).close();
            g.use();
        } catch (IOException e) {
            System.err.println(16);
        }
    }

    // expect toThread Gate
    static void toThread() {
        try {
            Gate g = new Gate();
            new Thread(() -> g.close()).start();
            g.use();
        } catch (IOException e) {
            System.err.println(17);
        }
    }

    // expect toThreadObject Gate
    static void toThreadObject() {
        try {
            Gate g = new Gate();
            new Closing(g).start();
            g.use();
        } catch (IOException e) {
            System.err.println(18);
        }
    }

    // expect toUnknown Gate
    static void toUnknown(Taker t) {
        try {
            Gate g = new Gate();
            t.take(g);
            g.use();
        } catch (IOException e) {
            System.err.println(19);
        }
    }

    // expect reflective Gate
    static void reflective() throws Exception {
        try {
            Gate g = new Gate();
            Field f = Gate.class.getDeclaredField("closed");
            f.setBoolean(g, true);
            g.use();
        } catch (IOException e) {
            System.err.println(20);
        }
    }

    // An override says that it is closed.
    // expect overridden Base
    static void overridden() {
        try {
            new Shut().use();
        } catch (IOException e) {
            System.err.println(21);
        }
    }

    // expect notOverridden none
    static void notOverridden() {
        try {
            new Base().use();
        } catch (IOException e) {
            System.err.println(22);
        }
    }

    // The finalizer may run while the object's last method does.
    // expect finalized Finalized
    static void finalized() {
        try {
            new Finalized().use();
        } catch (IOException e) {
            System.err.println(23);
        }
    }

    // What was called closes the object, and then throws.
    // expect thrownAfter Gate
    static void thrownAfter(String[] args) {
        try {
            useAfterThrow(new Gate(), args);
        } catch (IOException e) {
            System.err.println(24);
        }
    }

    static void useAfterThrow(Gate g, String[] args) throws IOException {
        try {
            closeAndThrow(g, args);
        } catch (RuntimeException e) {
            g.use();
        }
    }

    static void closeAndThrow(Gate g, String[] args) {
        g.close();
        throw new RuntimeException(args[0]);
    }

    // expect recursive Gate
    static void recursive(String[] args) {
        try {
            Gate g = new Gate();
            deep(g, args.length);
            g.use();
        } catch (IOException e) {
            System.err.println(25);
        }
    }

    static void deep(Gate g, int n) {
        if (n > 0) {
            deep(g, n - 1);
        } else {
            g.close();
        }
    }

    // expect registers Registers
    static void registers() {
        try {
            Registers r = new Registers();
            Registers.closeLast();
            r.use();
        } catch (IOException e) {
            System.err.println(26);
        }
    }

    // An inner object knows the outer one, and a static field that one.
    // expect byInner Gate
    static void byInner() {
        try {
            Gate g = new Gate();
            Wrapper.last = new Wrapper(g);
            Wrapper.closeLast();
            g.use();
        } catch (IOException e) {
            System.err.println(27);
        }
    }

    // expect state none
    static void state() {
        try {
            Stated s = new Stated();
            s.connect();
            s.use();
        } catch (IOException e) {
            System.err.println(28);
        }
    }

    // expect wrongState Stated
    static void wrongState() {
        try {
            Stated s = new Stated();
            s.connect();
            s.connect();
        } catch (IOException e) {
            System.err.println(29);
        }
    }

    // Either of two objects.
    // expect either Gate
    static void either(String[] args) {
        try {
            Gate a = new Gate();
            Gate b = new Gate();
            Gate c = args.length > 1 ? a : b;
            c.close();
            a.use();
        } catch (IOException e) {
            System.err.println(30);
        }
    }

    // expect other none
    static void other() {
        try {
            Gate a = new Gate();
            Gate b = new Gate();
            b.close();
            a.use();
        } catch (IOException e) {
            System.err.println(31);
        }
    }

    // Who gets it from elsewhere knows nothing of it.
    // expect given Gate
    static void given(Holder h) {
        try {
            h.gate.use();
        } catch (IOException e) {
            System.err.println(32);
        }
    }

    // A result that is a number.
    // expect numbered Numbered
    static void numbered() {
        try {
            Numbered n = new Numbered();
            n.close();
            n.use();
        } catch (IOException e) {
            System.err.println(33);
        }
    }

    // A call whose exception is caught here may have come past any of its code.
    // expect halfway Halfway
    static void halfway(String[] args) {
        try {
            Halfway h = new Halfway();
            h.tryClose(args);
            h.use();
        } catch (IOException e) {
            System.err.println(34);
        }
    }

    // A method that calls itself with more each time.
    // expect counting Gate
    static void counting(String[] args) {
        try {
            Gate g = new Gate();
            count(g, 0, args.length);
            g.use();
        } catch (IOException e) {
            System.err.println(35);
        }
    }

    static void count(Gate g, int n, int limit) throws IOException {
        g.use();
        if (n < limit) {
            other(g, n, limit);
        } else {
            g.close();
        }
    }

    static void other(Gate g, int n, int limit) throws IOException {
        count(g, n + 1, limit);
    }

    // A list that grows each time.
    // expect growing Gate
    static void growing(String[] args) {
        try {
            Gate g = new Gate();
            grow(new Link(null, g), args.length);
            g.use();
        } catch (IOException e) {
            System.err.println(36);
        }
    }

    static void grow(Link l, int limit) throws IOException {
        l.use();
        if (limit > 0) {
            grown(l, limit);
        } else {
            l.close();
        }
    }

    static void grown(Link l, int limit) throws IOException {
        grow(new Link(l, l.gate), limit - 1);
    }

    // expect required none
    static void required() {
        try {
            java.util.Objects.requireNonNull(new Gate()).use();
        } catch (IOException e) {
            System.err.println(37);
        }
    }

    // A field of a byte has not all of a number.
    // expect narrow Narrow
    static void narrow() {
        try {
            Narrow n = new Narrow();
            n.set(256 + 3);
            n.use();
        } catch (IOException e) {
            System.err.println(38);
        }
    }

    // Only a number is another one in the second round: it ends the loop.
    // expect counted Gate
    static void counted() {
        try {
            Gate g = new Gate();
            g.close();
            for (int i = 0; i < 2; i++) {
            }
            g.use();
        } catch (IOException e) {
            System.err.println(41);
        }
    }

    // The first round makes a Base only; where it may be another one, a Shut comes first.
    // expect kinds Unshared
    static void kinds(String[] args) {
        try {
            for (int i = 0; i < 2; i++) {
                Base b = kind(i);
                if (args.length > 1) {
                    System.err.println(i);
                }
                refuse(b);
            }
        } catch (IOException e) {
            System.err.println(39);
        }
    }

    // expect oneKind none
    static void oneKind(String[] args) {
        try {
            for (String a : args) {
                Base b = kind(0);
                if (args.length > 1) {
                    System.err.println(a);
                }
                refuse(b);
            }
        } catch (IOException e) {
            System.err.println(40);
        }
    }

    static Base kind(int i) {
        if (i != 0) {
            return new Shut();
        }
        return new Base();
    }

    static void refuse(Base b) throws IOException {
        if (b instanceof Shut) {
            throw new IOException("shut");
        }
    }

    public static void main(String[] args) throws Exception {
        Holder h = new Holder();
        h.gate = new Gate();
        made();
        closedAfter();
        closedBefore();
        opened();
        notOpened(args);
        wrapped();
        wrappedClosed();
        factory();
        factoryKeeps();
        inLoop(args);
        keptInLoop(args);
        oneWay(args);
        intoStatic();
        intoField(h);
        intoArray();
        intoList();
        toThread();
        toThreadObject();
        toUnknown(args.length > 1 ? new Closes() : new Keeps());
        reflective();
        overridden();
        notOverridden();
        finalized();
        thrownAfter(args);
        recursive(args);
        registers();
        byInner();
        state();
        wrongState();
        either(args);
        other();
        given(h);
        numbered();
        halfway(args);
        counting(args);
        growing(args);
        required();
        narrow();
        kinds(args);
        oneKind(args);
        counted();
    }
}

class Gate implements Closeable {
    private boolean closed;

    void use() throws IOException {
        ensureOpen();
    }

    private void ensureOpen() throws IOException {
        if (isClosed()) {
            throw new IOException("closed");
        }
    }

    boolean isClosed() {
        synchronized (this) {
            return closed;
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}

final class Door implements Closeable {
    private boolean open;

    Door(boolean open) {
        if (open) {
            open();
        }
    }

    void open() {
        open = true;
    }

    void use() throws IOException {
        if (!open) {
            throw new IOException("not open");
        }
    }

    @Override
    public void close() {
        open = false;
    }
}

final class Wrapper implements Closeable {
    static Wrapper last;
    private final Gate in;

    Wrapper(Gate in) {
        this.in = in;
    }

    void use() throws IOException {
        in.use();
    }

    static void closeLast() {
        if (last != null) {
            last.close();
        }
    }

    @Override
    public void close() {
        in.close();
    }
}

final class Holder {
    Gate gate;

    void close() {
        gate.close();
    }
}

final class Closing extends Thread {
    private final Gate gate;

    Closing(Gate gate) {
        this.gate = gate;
    }

    @Override
    public void run() {
        gate.close();
    }
}

interface Taker {
    void take(Gate g);
}

final class Closes implements Taker {
    @Override
    public void take(Gate g) {
        g.close();
    }
}

final class Keeps implements Taker {
    @Override
    public void take(Gate g) {
        System.err.println(g);
    }
}

class Base implements Closeable {
    boolean isClosed() {
        return false;
    }

    void use() throws IOException {
        if (isClosed()) {
            throw new IOException("closed");
        }
    }

    @Override
    public void close() {
    }
}

final class Shut extends Base {
    @Override
    boolean isClosed() {
        return true;
    }
}

final class Finalized implements Closeable {
    private boolean closed;

    void use() throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    protected void finalize() {
        close();
    }
}

final class Registers implements Closeable {
    private static final List<Registers> ALL = new ArrayList<>();
    private boolean closed;

    Registers() {
        ALL.add(this);
    }

    static void closeLast() {
        ALL.get(ALL.size() - 1).close();
    }

    void use() throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}

final class Stated implements Closeable {
    private static final int NEW = 0;
    private static final int CONNECTED = 1;
    private static final int CLOSED = 2;
    private int state;

    void connect() throws IOException {
        if (state == CONNECTED) {
            throw new IOException("already connected");
        }
        if (state >= CLOSED) {
            throw new IOException("closed");
        }
        state = CONNECTED;
    }

    void use() throws IOException {
        switch (state) {
            case NEW:
                throw new IOException("not connected");
            case CLOSED:
                throw new IOException("closed");
            default:
        }
    }

    @Override
    public void close() {
        state = CLOSED;
    }
}

final class Numbered implements Closeable {
    private int state;

    int state() {
        return state;
    }

    void use() throws IOException {
        if (state() == 5) {
            throw new IOException("closed");
        }
    }

    @Override
    public void close() {
        state = 5;
    }
}

final class Halfway implements Closeable {
    private boolean closed;

    void tryClose(String[] args) {
        try {
            closed = true;
            System.err.println(args[0]);
            closed = false;
        } catch (RuntimeException e) {
            System.err.println(e);
        }
    }

    void use() throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}

final class Link implements Closeable {
    final Link before;
    final Gate gate;

    Link(Link before, Gate gate) {
        this.before = before;
        this.gate = gate;
    }

    void use() throws IOException {
        gate.use();
    }

    @Override
    public void close() {
        gate.close();
    }
}

final class Narrow implements Closeable {
    private byte state;

    void set(int to) {
        state = (byte) to;
    }

    void use() throws IOException {
        if (state == 3) {
            throw new IOException("three");
        }
    }

    @Override
    public void close() {
        state = 3;
    }
}
