package pointsto;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** Objects that pass through native code, and Java code that native code calls. */
@SuppressWarnings("removal")
public class Natives implements Cloneable {
    static class Copied implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("copied"); //@ site("copied")
        }
    }

    static class Cloned implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("cloned"); //@ site("cloned")
        }
    }

    static class Kept implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("kept"); //@ site("kept")
        }
    }

    Thrower field;
    volatile Thrower updated;

    static int copies() throws CloneNotSupportedException {
        int caught = 0;
        Thrower[] from = {new Copied()};
        Thrower[] to = new Thrower[1];
        System.arraycopy(from, 0, to, 0, 1);
        try {
            to[0].act();
        } catch (Failure e) { //@ includes("copied") excludes[pta+]("cloned") experienced("copied")
            caught++;
        }
        try {
            from.clone()[0].act();
        } catch (Failure e) { //@ includes("copied") excludes[pta+]("cloned") experienced("copied")
            caught++;
        }
        try {
            Arrays.copyOf(from, 2)[0].act();
        } catch (Failure e) { //@ includes("copied") experienced("copied")
            caught++;
        }
        Natives n = new Natives();
        n.field = new Cloned();
        try {
            ((Natives) n.clone()).field.act();
        } catch (Failure e) { //@ includes("cloned") excludes[pta+]("copied") experienced("cloned")
            caught++;
        }
        return caught;
    }

    /** The JDK moves these by Unsafe. */
    static int moved() {
        int caught = 0;
        AtomicReference<Thrower> a = new AtomicReference<>();
        a.compareAndSet(null, new Kept());
        try {
            a.getAndSet(null).act();
        } catch (Failure e) { //@ includes("kept") experienced("kept")
            caught++;
        }
        AtomicReferenceArray<Thrower> array = new AtomicReferenceArray<>(1);
        array.lazySet(0, new Kept());
        try {
            array.get(0).act();
        } catch (Failure e) { //@ includes("kept") experienced("kept")
            caught++;
        }
        Natives n = new Natives();
        AtomicReferenceFieldUpdater.newUpdater(Natives.class, Thrower.class, "updated").set(n, new Kept());
        try {
            n.updated.act();
        } catch (Failure e) { //@ includes("kept") experienced("kept")
            caught++;
        }
        ConcurrentHashMap<String, Thrower> map = new ConcurrentHashMap<>();
        map.put("k", new Kept());
        try {
            map.get("k").act();
        } catch (Failure e) { //@ includes("kept") experienced("kept")
            caught++;
        }
        Kept kept = new Kept();
        try {
            new WeakReference<Thrower>(kept).get().act();
        } catch (Failure e) { //@ includes("kept") experienced("kept")
            caught += kept == null ? 0 : 1;
        }
        ThreadLocal<Thrower> local = ThreadLocal.withInitial(Kept::new);
        try {
            local.get().act();
        } catch (Failure e) { //@ includes("kept") experienced("kept")
            caught++;
        }
        return caught;
    }

    static int privileged() {
        int caught = 0;
        try {
            AccessController.doPrivileged((PrivilegedExceptionAction<String>) () -> {
                throw new Failure("checked"); //@ site("checked")
            });
        } catch (PrivilegedActionException e) { //@ includes("java/security/AccessController.doPrivileged") excludes("checked") experienced("java/security/AccessController.doPrivileged")
            caught++;
        }
        try {
            AccessController.doPrivileged((PrivilegedAction<String>) () -> {
                throw new Broken("unchecked"); //@ site("unchecked")
            });
        } catch (Broken e) { //@ includes("unchecked") experienced("unchecked")
            caught++;
        }
        return caught;
    }

    /** The VM writes the fields that these start from. */
    static int written() {
        int caught = 0;
        try {
            Natives.class.getClassLoader().loadClass("pointsto.Nothing");
        } catch (ClassNotFoundException e) { //@ includes("jdk/internal/loader/BuiltinClassLoader.loadClass") experienced("jdk/internal/loader/BuiltinClassLoader.loadClass")
            caught++;
        }
        InputStream before = System.in;
        System.setIn(new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("input"); //@ site("input")
            }
        });
        try {
            System.in.read();
        } catch (IOException e) { //@ includes("input") experienced("input")
            caught++;
        } finally {
            System.setIn(before);
        }
        return caught;
    }

    public static int run() throws CloneNotSupportedException {
        return copies() + moved() + privileged() + written();
    }
}
