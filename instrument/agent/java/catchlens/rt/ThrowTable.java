package catchlens.rt;

import java.lang.ref.WeakReference;

/**
 * Which throw site threw which exception object, by identity, for the open window. Objects are held
 * weakly, so the table never keeps one alive, and it is emptied when the window closes. An object
 * may be looked up on another thread than the one that threw it.
 */
final class ThrowTable {
    /** Values of {@link Entry#c} that are no class number. */
    static final int SYMBOL = -1;
    static final int INJECTED = -2;

    static final int LIMIT = 1 << 16;

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

    private Entry[] table = new Entry[256];
    private int size;

    Entry find(Throwable e) {
        int h = System.identityHashCode(e);
        for (Entry x = table[h & (table.length - 1)]; x != null; x = x.next) {
            if (x.hash == h && x.get() == e) {
                return x;
            }
        }
        return null;
    }

    /** The entry of e, made if there is none; null when the table is full of living objects. */
    Entry entry(Throwable e) {
        Entry x = find(e);
        if (x != null) {
            return x;
        }
        if (size >= table.length) {
            rebuild();
            if (size >= LIMIT) {
                return null;
            }
        }
        x = new Entry(e, System.identityHashCode(e));
        int i = x.hash & (table.length - 1);
        x.next = table[i];
        table[i] = x;
        size++;
        return x;
    }

    void clear() {
        if (size == 0) {
            return;
        }
        if (table.length > 4096) {
            table = new Entry[256];
        } else {
            for (int i = 0; i < table.length; i++) {
                table[i] = null;
            }
        }
        size = 0;
    }

    private void rebuild() {
        int live = 0;
        for (Entry head : table) {
            for (Entry x = head; x != null; x = x.next) {
                if (x.get() != null) {
                    live++;
                }
            }
        }
        int n = table.length;
        while (n < 2 * live && n < LIMIT) {
            n *= 2;
        }
        Entry[] tab = new Entry[n];
        for (Entry head : table) {
            Entry next;
            for (Entry x = head; x != null; x = next) {
                next = x.next;
                if (x.get() != null) {
                    x.next = tab[x.hash & (n - 1)];
                    tab[x.hash & (n - 1)] = x;
                }
            }
        }
        table = tab;
        size = live;
    }
}
