package escapes;

import java.io.*;
import java.lang.invoke.*;
import java.lang.reflect.Proxy;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.Consumer;
import java.util.zip.*;

/**
 * One try for each way by which an object comes into another state than that in which it was made,
 * or is of another class than one of its kind. Each of them catches something when main runs, and
 * says which class threw it.
 */
final class Escapes {
    /** What only a run knows. */
    static int N;

    static void came(Exception e) {
        StackTraceElement[] at = e.getStackTrace();
        String caught = new Throwable().getStackTrace()[1].getMethodName();
        System.out.println(caught + " " + at[0].getClassName().replace('.', '/'));
    }

    public static void main(String[] args) {
        N = args.length;
        lambda();
        lambdaWrites();
        innerClass();
        anonymousClass();
        superConstructor();
        overridden();
        leaksThis();
        cleaner();
        staticInitialiser();
        carriedByException();
        variableArguments();
        methodHandle();
        setterHandle();
        concatenation();
        hashCodeCloses();
        reflectiveCall();
        serialised();
        cloned();
        callEachOther();
        firstOfLoop();
        closedInFirstRound();
        linkedInLoop();
        oneOfTwo();
        twoBoxes();
        sameBox();
        privateMethod();
        variableHandle();
        fieldUpdater();
        referenceUpdater();
        nullBetween();
        dividedBetween();
        variableBetween();
        proxy();
        reflectiveObject();
        iterated();
        compared();
        phantomReference();
        atomicReference();
        required();
        largeConstant();
        overflow();
        longBits();
        wrappedByte();
        wrappedChar();
        hiddenField();
        counted();
        switchOnString();
        waited();
        staticFlag();
        exchanged();
        circle();
        thrownBetween();
        constructorThrows();
        castFails();
        arrayStoreFails();
        noArray();
        sameAsStatic();
        sameAsPassed();
        otherThanBefore();
        otherCall();
        defaultMethod();
        bridgeMethod();
        covariant();
        fieldInitialiser();
        constantsOfEnum();
        ownThread();
        calledBack();
        threadItself();
        closesBelow();
        exchangedVariables();
        readerBelow();
        notMarked();
        connectedTwice();
        pipeClosed();
        notConnected();
        notBound();
        finished();
        kinds();
        kindsWithin();
        kindsReturned();
        madeEverySecondTime();
        nestedLoops();
        leftLoop();
        closesOther();
        madeLate();
        written();
        scanned();
        lockOfReader();
        sameEntry();
    }

    static void lambda() {
        try {
            Gate g = new Gate();
            Runnable r = () -> g.close();
            r.run();
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void lambdaWrites() {
        try {
            Gate g = new Gate();
            Consumer<Boolean> r = x -> g.closed = x;
            r.accept(true);
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void innerClass() {
        try {
            Outer o = new Outer();
            o.new In().shut();
            o.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void anonymousClass() {
        try {
            final Gate g = new Gate();
            Runnable r = new Runnable() {
                public void run() {
                    g.close();
                }
            };
            r.run();
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void superConstructor() {
        try {
            new SubCb2().use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void overridden() {
        try {
            BaseO b = new SubO();
            b.go();
            b.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void leaksThis() {
        try {
            TReg reg = new TReg();
            Leaks3 l = new Leaks3(reg);
            reg.shut();
            l.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void cleaner() {
        try {
            Gate st = new Gate();
            Object o = new Object();
            CL.c.register(o, st::close).clean();
            st.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void staticInitialiser() {
        try {
            Gate g = new Gate();
            Pre.g = g;
            new Trig();
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void carriedByException() {
        try {
            Gate g = new Gate();
            try {
                carrying(g);
            }  catch (Carry c) {
                c.g.close();
            }
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void variableArguments() {
        try {
            Gate g = new Gate();
            shutAll(g, new Gate());
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void methodHandle() {
        try {
            try {
                Gate g = new Gate();
                MethodType type = MethodType.methodType(void.class);
                MethodHandles.lookup().findVirtual(Gate.class, "close", type).invokeExact(g);
                g.use();
            }  catch (Exception e) {
                throw e;
            }  catch (Throwable e) {
                throw new Error(e);
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void setterHandle() {
        try {
            try {
                Gate g = new Gate();
                MethodHandles.Lookup own = MethodHandles.lookup();
                own.findSetter(Gate.class, "closed", boolean.class).invokeExact(g, true);
                g.use();
            }  catch (Exception e) {
                throw e;
            }  catch (Throwable e) {
                throw new Error(e);
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void concatenation() {
        try {
            TS g = new TS();
            String s = "x" + g;
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void hashCodeCloses() {
        try {
            TS g = new TS();
            new HashMap<Object, Object>().put(g, 1);
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void reflectiveCall() {
        try {
            Gate g = new Gate();
            Gate.class.getDeclaredMethod("close").invoke(g);
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void serialised() {
        try {
            Ser2 s = new Ser2();
            ByteArrayOutputStream o = new ByteArrayOutputStream();
            new ObjectOutputStream(o).writeObject(s);
            s.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void cloned() {
        try {
            Clo2 c = new Clo2();
            Clo2 d = (Clo2) c.clone();
            d.in.close();
            c.in.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void callEachOther() {
        try {
            Gate g = new Gate();
            ping(g, 20);
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void firstOfLoop() {
        try {
            Gate[] k = new Gate[1];
            Gate p = null;
            for (int i = 0; i < 3; i++) {
                Gate g = new Gate();
                if (i == 0) p = g;
                else {
                    p.close();
                }
            }
            p.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void closedInFirstRound() {
        try {
            Gate first = null;
            for (int i = 0; i < 2; i++) {
                Gate g = new Gate();
                if (first == null) {
                    g.close();
                    first = g;
                } else {
                    first.use();
                }
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void linkedInLoop() {
        try {
            Node head = null;
            for (int i = 0; i < 3; i++) {
                head = new Node(head);
            }
            head.next.next.close();
            head.next.next.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void oneOfTwo() {
        try {
            Gate a = new Gate(), b = new Gate();
            Gate c = N == 0 ? a : b;
            a.close();
            c.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void twoBoxes() {
        try {
            Gate a = new Gate();
            Box x = new Box(a), y = new Box(a);
            y.g.close();
            x.g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void sameBox() {
        try {
            Box x = new Box(null), y = x;
            y.g = new Gate();
            x.g.close();
            y.g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void privateMethod() {
        try {
            PB b = new PSub();
            b.go();
            b.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void variableHandle() {
        try {
            VHd v = new VHd();
            VHd.H.compareAndSet(v, 0, 1);
            v.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void fieldUpdater() {
        try {
            Upd v = new Upd();
            Upd.U.incrementAndGet(v);
            v.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void referenceUpdater() {
        try {
            Upd v = new Upd();
            Upd.RU.set(v, "x");
            v.use2();
        } catch (Exception e) {
            came(e);
        }
    }

    static void nullBetween() {
        try {
            Gate g = new Gate();
            try {
                g.closed = true;
                Object o = null;
                if (N == 0) o.hashCode();
                g.closed = false;
            }  catch (RuntimeException e) {
                System.err.println(e);
            }
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void dividedBetween() {
        try {
            Gate g = new Gate();
            try {
                g.closed = true;
                int z = 1 / N;
                g.closed = false;
            }  catch (ArithmeticException e) {
                System.err.println(e);
            }
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void variableBetween() {
        try {
            Gate a = new Gate(), b = new Gate();
            Gate c = a;
            try {
                c = b;
                boom();
                c = a;
            }  catch (RuntimeException e) {
                System.err.println(e);
            }
            b.close();
            c.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void proxy() {
        try {
            Gate g = new Gate();
            Taker t = (Taker) Proxy.newProxyInstance(Escapes.class.getClassLoader(),
                    new Class<?>[] {Taker.class}, (p, m, a) -> {
                        ((Gate) a[0]).close();
                        return null;
                    });
            pass(t, g);
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void reflectiveObject() {
        try {
            Gate g = new Gate();
            Taker3 t = (Taker3) Class.forName("escapes.T3b").getDeclaredConstructor().newInstance();
            if (N > 9) t = new T3a();
            t.take(g);
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void iterated() {
        try {
            It it = new It();
            for (Object o : it) {
            }
            it.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void compared() {
        try {
            Cmp c = new Cmp();
            new TreeSet<Cmp>(Arrays.asList(c, c)).size();
            c.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void phantomReference() {
        try {
            PhantRef p = new PhantRef(new Gate());
            p.g.close();
            p.g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void atomicReference() {
        try {
            Gate g = new Gate();
            new AtomicReference<Gate>(g).get().close();
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void required() {
        try {
            Gate g = new Gate();
            Objects.requireNonNull(g, () -> "x").close();
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void largeConstant() {
        try {
            Num n = new Num();
            n.v = 123456789;
            n.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void overflow() {
        try {
            Num n = new Num();
            n.v = Integer.MAX_VALUE;
            n.v++;
            n.useNeg();
        } catch (Exception e) {
            came(e);
        }
    }

    static void longBits() {
        try {
            Lng n = new Lng();
            n.v |= 4294967296L;
            n.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void wrappedByte() {
        try {
            Byt n = new Byt();
            n.v = 127;
            n.v++;
            n.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void wrappedChar() {
        try {
            Chr n = new Chr();
            n.v--;
            n.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void hiddenField() {
        try {
            ShadowSub s = new ShadowSub();
            ((Gate0) s).closed = true;
            s.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void counted() {
        try {
            Num n = new Num();
            for (int i = 0; i < 20; i++) n.v++;
            n.use20();
        } catch (Exception e) {
            came(e);
        }
    }

    static void switchOnString() {
        try {
            Str n = new Str();
            n.v = N == 0 ? "b" : "a";
            n.sw();
        } catch (Exception e) {
            came(e);
        }
    }

    static void waited() {
        try {
            Wt w = new Wt();
            w.go();
            w.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void staticFlag() {
        try {
            Gate g = new Gate();
            g.closed = Flag.on();
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void exchanged() {
        try {
            Box x = new Box(new Gate()), y = new Box(new Gate());
            x.g.close();
            swap(x, y);
            y.g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void circle() {
        try {
            Box x = new Box(new Gate());
            Box y = new Box(x.g);
            x.o = y;
            y.o = x;
            S.box = y;
            S.shutBox();
            x.g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void thrownBetween() {
        try {
            Box x = new Box(new Gate());
            try {
                put2(x);
            }  catch (RuntimeException e) {
                System.err.println(e);
            }
            x.g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void constructorThrows() {
        try {
            Box x = new Box(new Gate());
            try {
                new CtorT(x);
            }  catch (RuntimeException e) {
                System.err.println(e);
            }
            x.g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void castFails() {
        try {
            Object o = new Gate();
            try {
                g2(o);
                String s = (String) o;
            }  catch (ClassCastException e) {
                ((Gate) o).use();
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void arrayStoreFails() {
        try {
            Gate g = new Gate();
            Object[] a = new String[1];
            try {
                a[0] = g;
            }  catch (ArrayStoreException e) {
                g.close();
            }
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void noArray() {
        try {
            Object c = new Gate();
            if (!(c instanceof Object[])) throw new IOException();
        } catch (Exception e) {
            came(e);
        }
    }

    static void sameAsStatic() {
        try {
            Gate g = new Gate();
            S.g = g;
            if (S.g == g) throw new IOException();
        } catch (Exception e) {
            came(e);
        }
    }

    static void sameAsPassed() {
        try {
            Gate g = new Gate();
            Gate h = ident(g);
            if (h == g) throw new IOException();
        } catch (Exception e) {
            came(e);
        }
    }

    static void otherThanBefore() {
        try {
            Gate p = null;
            boolean diff = false;
            for (int i = 0; i < 2; i++) {
                Gate g = new Gate();
                if (p != null && p != g) throw new IOException();
                p = g;
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void otherCall() {
        try {
            Gate a = mkg(), b = mkg();
            if (a != b) throw new IOException();
        } catch (Exception e) {
            came(e);
        }
    }

    static void defaultMethod() {
        try {
            Dfl d = new Dfl();
            d.go();
            d.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void bridgeMethod() {
        try {
            Gen<String> g = new GenS();
            g.put("x");
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void covariant() {
        try {
            CovB c = new CovS();
            c.self().shut();
            c.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void fieldInitialiser() {
        try {
            new FI().use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void constantsOfEnum() {
        try {
            Gate g = new Gate();
            Op.SHUT.apply(g);
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void ownThread() {
        try {
            RSelf c = new RSelf();
            Thread t = new Thread(c);
            t.start();
            t.join();
            c.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void calledBack() {
        try {
            FilterOutputStream o = new FOut(new ByteArrayOutputStream());
            o.write(new byte[] {1});
            ((FOut) o).use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void threadItself() {
        try {
            ST s = new ST();
            s.start();
            s.join();
            s.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void closesBelow() {
        try {
            CH c = new CH();
            c.close();
            c.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void exchangedVariables() {
        try {
            Gate a = new Gate(), b = new Gate();
            for (int i = 0; i < 2; i++) {
                if (i == 1) {
                    a.close();
                    b.use();
                }
                Gate t = a;
                a = b;
                b = t;
                if (i == 1) a.use();
                if (i == 1) b.use();
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void readerBelow() {
        try {
            StringReader s = new StringReader("x");
            BufferedReader r = new BufferedReader(s);
            s.close();
            r.read();
        } catch (Exception e) {
            came(e);
        }
    }

    static void notMarked() {
        try {
            InputStream i = new BufferedInputStream(new ByteArrayInputStream(new byte[9]));
            i.reset();
        } catch (Exception e) {
            came(e);
        }
    }

    static void connectedTwice() {
        try {
            PipedInputStream i = new PipedInputStream();
            PipedOutputStream o = new PipedOutputStream(i);
            o.connect(i);
        } catch (Exception e) {
            came(e);
        }
    }

    static void pipeClosed() {
        try {
            PipedInputStream i = new PipedInputStream();
            PipedOutputStream o = new PipedOutputStream(i);
            o.write(1);
            i.close();
            o.write(1);
        } catch (Exception e) {
            came(e);
        }
    }

    static void notConnected() {
        try {
            java.net.Socket s = new java.net.Socket();
            s.getInputStream();
        } catch (Exception e) {
            came(e);
        }
    }

    static void notBound() {
        try {
            java.net.ServerSocket s = new java.net.ServerSocket();
            s.accept();
        } catch (Exception e) {
            came(e);
        }
    }

    static void finished() {
        try {
            DeflaterOutputStream z = new GZIPOutputStream(new ByteArrayOutputStream());
            z.finish();
            z.write(new byte[1], 0, 1);
        } catch (Exception e) {
            came(e);
        }
    }

    static void kinds() {
        try {
            for (int i = 0; i < 2; i++) {
                Kind c = Kind.make(i);
                if (N > 5) nop();
                check(c);
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void kindsWithin() {
        try {
            for (int i = 0; i < 2; i++) {
                Wrapk w = new Wrapk();
                Kind.fill(w, i);
                if (N > 5) nop();
                w.use();
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void kindsReturned() {
        try {
            for (int i = 0; i < 2; i++) {
                Wrapk w = Wrapk.of(i);
                if (N > 5) nop();
                w.go();
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void madeEverySecondTime() {
        try {
            Gate g = null;
            for (int i = 0; i < 4; i++) {
                if (i % 2 == 0) {
                    g = new Gate();
                }  else {
                    g.close();
                }
                if (i == 3) g.use();
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void nestedLoops() {
        try {
            Box[] out = new Box[1];
            Box keep = null;
            for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) {
                Box b = mkb();
                if (keep == null) keep = b;
                else {
                    keep.g.close();
                    keep.g.use();
                }
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void leftLoop() {
        try {
            Gate g = new Gate();
            for (int i = 0; i < 3; i++) {
                try {
                    if (i == 1) {
                        g.closed = true;
                        continue;
                    }
                    if (i == 2) break;
                    boom3();
                }  catch (IllegalStateException e) {
                    if (g.closed) throw new IOException();
                }
            }
            g.use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void closesOther() {
        try {
            try (SuppA a = new SuppA(); SuppB b = new SuppB(a)) {
            }
        } catch (Exception e) {
            came(e);
        }
    }

    static void madeLate() {
        try {
            Lazy l = new Lazy();
            l.get().close();
            l.get().use();
        } catch (Exception e) {
            came(e);
        }
    }

    static void written() {
        try {
            MyOut m = new MyOut();
            BufferedOutputStream o = new BufferedOutputStream(m);
            o.write(1);
            o.close();
            m.chk();
        } catch (Exception e) {
            came(e);
        }
    }

    static void scanned() {
        try {
            MyRd m = new MyRd();
            Scanner o = new Scanner(m);
            o.hasNext();
            m.chk();
        } catch (Exception e) {
            came(e);
        }
    }

    static void lockOfReader() {
        try {
            MyRd2 m = new MyRd2();
            m.lock().shut();
            m.chk();
        } catch (Exception e) {
            came(e);
        }
    }

    static void sameEntry() {
        try {
            MyOut m = new MyOut();
            ZipOutputStream o = new ZipOutputStream(m);
            o.putNextEntry(new ZipEntry("a"));
            o.closeEntry();
            o.putNextEntry(new ZipEntry("a"));
        } catch (Exception e) {
            came(e);
        }
    }

    static void carrying(Gate g) throws Carry {
        throw new Carry(g);
    }

    static void shutAll(Gate... gs) {
        for (Gate g : gs) g.close();
    }

    static void ping(Gate g, int n) {
        if (n > 0) pong(g, n - 1);
    }

    static void pong(Gate g, int n) {
        if (n == 9) g.close();
        ping(g, n);
    }

    static void boom() {
        if (N == 0) throw new IllegalStateException();
    }

    static void check(Kind c) throws IOException {
        if (c instanceof KA) throw new IOException();
    }

    static void pass(Taker t, Gate g) {
        t.take(g);
    }

    static void swap(Box x, Box y) {
        Gate t = x.g;
        x.g = y.g;
        y.g = t;
    }

    static void put2(Box x) {
        Gate g = new Gate();
        g.close();
        x.g = g;
        boom();
        x.g = new Gate();
    }

    static void g2(Object o) {
        ((Gate) o).closed = true;
    }

    static Gate ident(Gate g) {
        return g;
    }

    static Gate mkg() {
        return new Gate();
    }

    static void nop() {
    }

    static Box mkb() {
        return new Box(new Gate());
    }

    static void boom3() {
        throw new IllegalStateException();
    }
}
class Gate implements Closeable {
    boolean closed;
    void use() throws IOException {
        if (closed) throw new IOException("closed");
    }

    public void close() {
        closed = true;
    }
}

final class S {
    static Gate g;
    static Gate g2;
    static Box box;
    static void shut() {
        g.close();
    }

    static void shutBox() {
        ((Box) box.o).g.close();
    }
}

final class Box implements Closeable {
    Gate g;
    Object o;
    Box(Gate g) {
        this.g = g;
    }

    public void close() {
        g.close();
    }
}

class Outer extends Gate {
    private boolean shut;
    class In {
        void shut() {
            close();
        }
        void viaField() {
            shut = true;
        }
    }

    void use() throws IOException {
        super.use();
        if (shut) throw new IOException("shut");
    }
}

abstract class CbBase extends Gate {
    CbBase() {
        init();
    }

    abstract void init();
}

final class SubCb2 extends CbBase {
    boolean y;
    SubCb2() {
        super();
    }

    void init() {
        y = true;
    }

    void use() throws IOException {
        if (y) throw new IOException();
    }
}

class BaseO extends Gate {
    void go() {
        step();
    }

    void step() {
    }
}

final class SubO extends BaseO {
    void step() {
        closed = true;
    }
}

final class TReg implements Closeable {
    Gate g;
    Gate part;
    Part2 part2;
    void shut() {
        g.close();
    }

    public void close() {
    }
}

final class Leaks3 extends Gate {
    Leaks3(TReg r) {
        r.g = this;
    }
}

final class CL {
    static final java.lang.ref.Cleaner c = java.lang.ref.Cleaner.create();
}

final class Pre {
    static Gate g;
}

final class Trig {
    static {
        Pre.g.close();
    }
}

final class Carry extends Exception {
    final Gate g;
    Carry(Gate g) {
        this.g = g;
    }
}

final class TS extends Gate {
    public String toString() {
        close();
        return "x";
    }

    public int hashCode() {
        close();
        return 1;
    }

    public boolean equals(Object o) {
        close();
        return false;
    }
}

class Gate0 implements Closeable {
    boolean closed;
    public void close() {
        closed = true;
    }

    void use() throws IOException {
        if (closed) throw new IOException("closed");
    }
}

final class Ser2 extends Gate implements Serializable {
    private void writeObject(ObjectOutputStream o) {
        close();
    }
}

final class Clo2 implements Closeable, Cloneable {
    Gate in = new Gate();
    public void close() {
    }

    public Object clone() {
        try {
            return super.clone();
        }  catch (CloneNotSupportedException e) {
            throw new Error(e);
        }
    }
}

final class Node extends Gate {
    Node next;
    Node(Node n) {
        next = n;
    }
}

class PB extends Gate {
    void go() {
        p();
    }

    private void p() {
        closed = true;
    }
}

final class PSub extends PB {
    private void p() {
    }
}

final class VHd implements Closeable {
    static final VarHandle H;
    static {
        try {
            H = MethodHandles.lookup().findVarHandle(VHd.class, "v", int.class);
        }  catch (ReflectiveOperationException e) {
            throw new Error(e);
        }
    }

    int v;
    public void close() {
    }

    void use() throws IOException {
        if (v == 1) throw new IOException();
    }
}

final class Upd implements Closeable {
    static final AtomicIntegerFieldUpdater<Upd> U =
            AtomicIntegerFieldUpdater.newUpdater(Upd.class, "v");
    static final AtomicReferenceFieldUpdater<Upd, String> RU =
            AtomicReferenceFieldUpdater.newUpdater(Upd.class, String.class, "s");
    volatile int v;
    volatile String s;
    public void close() {
    }

    void use() throws IOException {
        if (v == 1) throw new IOException();
    }

    void use2() throws IOException {
        if (s != null) throw new IOException();
    }
}

final class Part2 extends Gate {
    Gate g;
    Part2(TReg r) {
        r.part2 = this;
        g = new Gate();
        g.close();
        Escapes.boom();
        g = new Gate();
    }
}

class Kind implements Closeable {
    public void close() {
    }

    void use() throws IOException {
    }

    static Kind make(int i) {
        return i != 0 ? new KA() : new KB();
    }

    static void fill(Wrapk w, int i) {
        w.k = i != 0 ? new KA() : new KB();
    }
}

final class KA extends Kind {
    boolean open;
    KA() {
        open = true;
    }

    void use() throws IOException {
        throw new IOException();
    }
}

final class KB extends Kind {
    boolean other;
}

final class Wrapk implements Closeable {
    Kind k;
    static Wrapk of(int i) {
        Wrapk w = new Wrapk();
        w.k = Kind.make(i);
        return w;
    }

    void go() throws IOException {
        Escapes.nop();
        if (Escapes.N > 4) Escapes.nop();
        if (k instanceof KA) throw new IOException();
    }

    public void close() {
    }

    void use() throws IOException {
        if (k instanceof KA) throw new IOException();
    }
}

interface Taker {
    void take(Gate g);
}

interface Taker3 {
    void take(Gate g);
}

final class T3a implements Taker3 {
    public void take(Gate g) {
    }
}

final class T3b implements Taker3 {
    public T3b() {
    }

    public void take(Gate g) {
        g.close();
    }
}

final class It extends Gate implements Iterable<Object> {
    public Iterator<Object> iterator() {
        close();
        return Collections.emptyIterator();
    }
}

final class Cmp extends Gate implements Comparable<Cmp> {
    public int compareTo(Cmp o) {
        close();
        return 0;
    }
}

final class PhantRef extends java.lang.ref.PhantomReference<Gate> {
    final Gate g;
    PhantRef(Gate g) {
        super(g, null);
        this.g = g;
    }
}

final class Num implements Closeable {
    int v;
    public void close() {
    }

    void use() throws IOException {
        if (v > 65535) throw new IOException();
    }

    void useNeg() throws IOException {
        if (v < 0) throw new IOException();
    }

    void use40() throws IOException {
        if (v == 40000) throw new IOException();
    }

    void use20() throws IOException {
        if (v >= 20) throw new IOException();
    }

    void sw() throws IOException {
        switch (v) {
            case 0: case 1: case 2: break;
            case 3: return;
            default: throw new IOException();
        }
    }
}

final class Lng implements Closeable {
    long v;
    public void close() {
    }

    void use() throws IOException {
        if (v != 0) throw new IOException();
    }

    void useNeg() throws IOException {
        if (v < 0) throw new IOException();
    }
}

final class Byt implements Closeable {
    byte v;
    public void close() {
    }

    void use() throws IOException {
        if (v != 0) throw new IOException();
    }
}

final class Chr implements Closeable {
    char v;
    public void close() {
    }

    void use() throws IOException {
        if (v == 65535) throw new IOException();
    }
}

final class ShadowSub extends Gate0 {
    boolean closed;
    void use2() throws IOException {
        if (closed) throw new IOException();
    }
}

final class Str implements Closeable {
    String v;
    public void close() {
    }

    void sw() throws IOException {
        switch (v) {
            case "a": return;
            case "b": throw new IOException();
            default:
        }
    }
}

final class Wt extends Gate {
    synchronized void go() throws InterruptedException {
        new Thread(this::wake).start();
        while (!closed) wait();
    }

    synchronized void wake() {
        closed = true;
        notifyAll();
    }
}

final class Flag {
    static boolean f;
    static boolean on() {
        f = true;
        return f;
    }
}

final class CtorT extends Gate {
    CtorT(Box b) {
        Gate g = new Gate();
        b.g = g;
        g.close();
        Escapes.boom();
        b.g = new Gate();
    }
}

interface D1 {
    default void go() {
        ((Dfl) this).closed = true;
    }
}

class DB extends Gate {
}

final class Dfl extends DB implements D1 {
}

class Gen<T> extends Gate {
    void put(T t) {
    }
}

final class GenS extends Gen<String> {
    void put(String s) {
        closed = true;
    }
}

class CovB extends Gate {
    CovB self() {
        return new CovB();
    }

    void shut() {
        closed = true;
    }
}

final class CovS extends CovB {
    CovS self() {
        return this;
    }
}

final class FI extends Gate0 {
    boolean c = set();
    boolean set() {
        closed = true;
        return true;
    }
}

enum Op {
    SHUT {
        void apply(Gate g) {
            g.close();
        }
    }

    , NOT {
        void apply(Gate g) {
        }
    };
    abstract void apply(Gate g);
}

final class RSelf extends Gate implements Runnable {
    public void run() {
        close();
    }
}

final class FOut extends FilterOutputStream {
    boolean c;
    FOut(OutputStream o) {
        super(o);
    }

    public void write(int b) {
        c = true;
    }

    void use() throws IOException {
        if (c) throw new IOException();
    }
}

final class ST extends Thread implements Closeable {
    boolean c;
    public void run() {
        c = true;
    }

    public void close() {
    }

    void use() throws IOException {
        if (c) throw new IOException();
    }
}

class CHB extends Gate0 {
    public void close() {
        implClose();
    }

    void implClose() {
    }
}

final class CH extends CHB {
    void implClose() {
        closed = true;
    }
}

final class SuppA extends Gate {
    boolean b;
    public void close() {
        if (b) throw new IllegalStateException();
    }
}

final class SuppB implements Closeable {
    final SuppA a;
    SuppB(SuppA a) {
        this.a = a;
    }

    public void close() throws IOException {
        a.b = true;
        if (a.b) throw new IOException();
    }
}

final class Lazy extends Gate {
    private volatile Gate in;
    Gate get() {
        Gate g = in;
        if (g == null) {
            synchronized (this) {
                g = in;
                if (g == null) in = g = new Gate();
            }
        }
        return g;
    }

    public void close() {
        if (in != null) in.close();
    }
}

final class MyOut extends OutputStream {
    boolean c;
    public void write(int b) {
        c = true;
    }

    public void write(byte[] b, int o, int l) {
        c = true;
    }

    void chk() throws IOException {
        if (c) throw new IOException();
    }
}

final class MyRd extends Reader {
    boolean c;
    public int read(char[] b, int o, int l) {
        c = true;
        return -1;
    }

    public void close() {
    }

    void chk() throws IOException {
        if (c) throw new IOException();
    }
}

final class MyRd2 extends Reader {
    boolean c;
    public int read(char[] b, int o, int l) {
        return -1;
    }

    public void close() {
    }

    MyRd2 lock() {
        return (MyRd2) lock;
    }

    void shut() {
        c = true;
    }

    void chk() throws IOException {
        if (c) throw new IOException();
    }
}
