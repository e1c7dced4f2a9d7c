package catchlens.rt.record;

import java.lang.ref.WeakReference;

/**
 * Which throw site threw which exception object, by identity, for the open window. Objects are held
 * weakly, so the table never keeps one alive, and it is emptied when the window closes. An object
 * may be looked up on another thread than the one that threw it.
 *
 * <p>It is bounded: when the young half is full it becomes the old half, and what was in the old
 * half is forgotten. What is looked up in the old half moves to the young one.
 */
public final class ThrowTable {
    /** Values of {@link Entry#c} that are no class number. */
    static final int SYMBOL = -1;
    static final int INJECTED = -2;

    /** Entries in one half. */
    static final int HALF = 1 << 14;

    static final class Entry extends WeakReference<Throwable> {
        final int hash;
        Entry next;
        /** Class number of the site, or SYMBOL (n numbers a symbolic site), or INJECTED. */
        int c;
        int n;

        Entry(Throwable e, int hash) {
            super(e);
            this.hash = hash;
        }
    }

    private Entry[] young = new Entry[256];
    private Entry[] old;
    private int size; // of young
    /** Whether entries were forgotten: an object that is not here may have been. */
    boolean forgot;

    private static Entry in(Entry[] half, int hash, Throwable e) {
        for (Entry x = half[hash & (half.length - 1)]; x != null; x = x.next) {
            if (x.hash == hash && x.get() == e) {
                return x;
            }
        }
        return null;
    }

    Entry find(Throwable e) {
        int h = System.identityHashCode(e);
        Entry x = in(young, h, e);
        if (x != null || old == null) {
            return x;
        }
        Entry was = in(old, h, e);
        if (was == null) {
            return null;
        }
        x = add(e, h);
        x.c = was.c;
        x.n = was.n;
        return x;
    }

    /** The entry of e, made if there is none. */
    Entry entry(Throwable e) {
        Entry x = find(e);
        return x != null ? x : add(e, System.identityHashCode(e));
    }

    private Entry add(Throwable e, int hash) {
        if (size >= young.length) {
            if (size >= HALF) {
                forgot |= old != null;
                old = young;
                young = new Entry[HALF];
                size = 0;
            } else {
                grow();
            }
        }
        Entry x = new Entry(e, hash);
        int i = hash & (young.length - 1);
        x.next = young[i];
        young[i] = x;
        size++;
        return x;
    }

    private void grow() {
        int n = 4 * young.length;
        Entry[] more = new Entry[n];
        for (Entry head : young) {
            Entry next;
            for (Entry x = head; x != null; x = next) {
                next = x.next;
                x.next = more[x.hash & (n - 1)];
                more[x.hash & (n - 1)] = x;
            }
        }
        young = more;
    }

    void clear() {
        if (size == 0 && old == null) {
            return;
        }
        if (young.length > 1024) {
            young = new Entry[256];
        } else {
            java.util.Arrays.fill(young, null);
        }
        old = null;
        size = 0;
        forgot = false;
    }
}
