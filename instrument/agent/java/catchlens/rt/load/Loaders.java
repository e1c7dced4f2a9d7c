package catchlens.rt.load;

import catchlens.rt.Agent;
import catchlens.rt.Probe;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells which class loaders lead what they define to the probes. Those of the JDK ask their parents first, and the boot
 * loader has the probes; a program's own may find nothing there, or define a second copy of them, whose fields nobody has
 * set. What such a one defines is left as it is.
 */
public final class Loaders {
    private static final Map<Key, Boolean> known = new HashMap<Key, Boolean>();
    private static final ReferenceQueue<ClassLoader> gone = new ReferenceQueue<ClassLoader>();

    /** Loaders that are being asked. */
    private static final ArrayList<Asking> asking = new ArrayList<Asking>();

    private static final class Asking {
        final ClassLoader loader;
        final Thread thread = Thread.currentThread();

        Asking(ClassLoader loader) {
            this.loader = loader;
        }
    }

    private Loaders() {
    }

    /** A loader by identity: it may have an equals of its own. */
    private static final class Key extends WeakReference<ClassLoader> {
        private final int hash;

        Key(ClassLoader loader) {
            super(loader, gone);
            hash = System.identityHashCode(loader);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object o) {
            return o == this || o instanceof Key && get() != null && get() == ((Key) o).get();
        }
    }

    /**
     * Whether a class that the loader defines finds the probes. A loader that is not the JDK's, or has such a parent, is asked,
     * once, with the call that the JVM makes when the class first runs a probe (JVMS 5.3.2). What it defines while a thread asks
     * it does not find them, in that thread; another thread asks for itself, as it may hold what the first one waits for.
     */
    static boolean findProbes(ClassLoader loader) {
        if (ofJdk(loader)) {
            return true;
        }
        Key key = new Key(loader);
        Asking now = new Asking(loader);
        synchronized (known) {
            for (Reference<?> r = gone.poll(); r != null; r = gone.poll()) {
                known.remove(r);
            }
            Boolean before = known.get(key);
            if (before != null) {
                return before;
            }
            for (Asking a : asking) {
                if (a.loader == loader && a.thread == now.thread) {
                    return false;
                }
            }
            asking.add(now);
        }
        boolean found = false;
        try {
            found = loader.loadClass(Probe.class.getName()) == Probe.class;
        } catch (ClassNotFoundException e) { // the answer is no
        } catch (Throwable t) { // no answer: the next class asks again
            if (t.getClass().getName().equals("java.lang.ThreadDeath")) {
                Probe.<RuntimeException>sneaky(t);
            }
            return false;
        } finally {
            synchronized (known) {
                asking.remove(now);
            }
        }
        boolean said;
        synchronized (known) {
            said = known.put(key, found) != null;
        }
        if (!found && !said) {
            Agent.notice("what class loaders of the class " + loader.getClass().getName() + " define is not rewritten: they do not lead to the probes");
        }
        return found;
    }

    private static boolean ofJdk(ClassLoader loader) {
        for (ClassLoader l = loader; l != null; l = l.getParent()) {
            if (l.getClass().getClassLoader() != null) {
                return false;
            }
        }
        return true;
    }
}
