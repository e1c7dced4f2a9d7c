package catchlens.rt.load;

import catchlens.rt.record.Below;

import java.lang.ref.WeakReference;

/** One rewritten class of this JVM: what a class number stands for. */
public final class ClassEntry {
    public final int number;
    public final String name; // internal
    public final ClassKey key;
    public final String loaderKind;
    public final WeakReference<ClassLoader> loader; // null: the boot loader
    public final int tries;
    public final int handlers;
    public final int methods;
    public final boolean late;
    /** By try, the numbers of its catches in {@link Below}; null where it has none. */
    public final int[][] catches;
    /** The window in which it was last put on the list of classes with counts. */
    public int dirty;

    public ClassEntry(int number, String name, ClassKey key, String loaderKind, ClassLoader loader, Counts counts,
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
    public static final class Counts {
        public int tries;
        public int handlers;
        public int sites;
        public int methods;
    }

    /** What identifies the original bytes of a class: two checksums and the length. */
    public static final class ClassKey {
        public final int crc;
        public final int adler;
        public final int length;

      public   ClassKey(int crc, int adler, int length) {
            this.crc = crc;
            this.adler = adler;
            this.length = length;
        }
    }
}
