package catchlens.rt;

import java.lang.ref.WeakReference;

/** One rewritten class of this JVM: what a class number stands for. */
final class ClassEntry {
    final int number;
    final String name; // internal
    final ClassKey key;
    final String loaderKind;
    final WeakReference<ClassLoader> loader; // null: the boot loader
    final int tries;
    final int handlers;
    final int methods;
    final boolean late;
    /** By try, the numbers of its catches in {@link Below}; null where it has none. */
    final int[][] catches;
    /** The window in which it was last put on the list of classes with counts. */
    int dirty;

    ClassEntry(int number, String name, ClassKey key, String loaderKind, ClassLoader loader, Counts counts,
            boolean late) {
        this.number = number;
        this.name = name;
        this.key = key;
        this.loaderKind = loaderKind;
        this.loader = loader == null ? null : new WeakReference<ClassLoader>(loader);
        this.tries = counts.tries;
        this.handlers = counts.handlers;
        this.methods = counts.methods;
        this.late = late;
        this.catches = Below.catchesOf(name);
    }

    /** How many probes of each kind the rewriter put into a class. */
    static final class Counts {
        int tries;
        int handlers;
        int sites;
        int methods;
    }

    /** What identifies the original bytes of a class: two checksums and the length. */
    static final class ClassKey {
        final int crc;
        final int adler;
        final int length;

        ClassKey(int crc, int adler, int length) {
            this.crc = crc;
            this.adler = adler;
            this.length = length;
        }
    }
}
