package catchlens.rt.load;

import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * A file of rewritten classes that the worker wrote: by the checksums of the original bytes, the
 * rewritten bytes, or the word that a class needs no probes. The Go side (worker/bundle.go)
 * documents the layout. The tables are read at once, class bytes when they are asked for.
 */
public final class Bundle {
    static final int MAGIC = 0x434c4231; // "CLB1"
    static final int HEADER = 16;
    static final int SLOT = 40;

    private final RandomAccessFile file;
    private final byte[] head;
    private final int slots;
    private final int nameSlots;

    /** The answer to a lookup. */
    public static final class Found {
        /** The rewritten bytes; null: the class needs no probes. */
        public byte[] bytes;
        public int numberOffset;
        public final ClassEntry.Counts counts = new ClassEntry.Counts();
    }

    Bundle(String path) throws IOException {
        file = new RandomAccessFile(path, "r");
        byte[] h = new byte[HEADER];
        file.readFully(h);
        if (u32(h, 0) != MAGIC) {
            throw new IOException(path + " is no bundle");
        }
        slots = u32(h, 8);
        nameSlots = u32(h, 12);
        long size = (long) slots * SLOT + 4L * nameSlots;
        if (slots <= 0 || nameSlots <= 0 || (slots & (slots - 1)) != 0 || (nameSlots & (nameSlots - 1)) != 0
                || HEADER + size > file.length()) {
            throw new IOException(path + ": damaged header");
        }
        head = new byte[(int) size];
        file.readFully(head);
    }

    public static int u32(byte[] b, int i) {
        return b[i] << 24 | (b[i + 1] & 255) << 16 | (b[i + 2] & 255) << 8 | (b[i + 3] & 255);
    }

    public static int u16(byte[] b, int i) {
        return (b[i] & 255) << 8 | (b[i + 1] & 255);
    }

    /** What the bundle has for the class, or null when it does not know these bytes. */
    Found find(ClassEntry.ClassKey k) throws IOException {
        int mask = slots - 1;
        for (int i = k.crc & mask, tries = 0; tries < slots; i = (i + 1) & mask, tries++) {
            int at = i * SLOT;
            int length = u32(head, at + 8);
            if (length == 0) {
                return null;
            }
            if (length != k.length || u32(head, at) != k.crc || u32(head, at + 4) != k.adler) {
                continue;
            }
            Found f = new Found();
            if (u32(head, at + 12) == 0) {
                return f;
            }
            long off = (long) u32(head, at + 16) << 32 | (u32(head, at + 20) & 0xffffffffL);
            f.bytes = new byte[u32(head, at + 24)];
            synchronized (file) {
                file.seek(off);
                file.readFully(f.bytes);
            }
            f.numberOffset = u32(head, at + 28);
            f.counts.tries = u16(head, at + 32);
            f.counts.handlers = u16(head, at + 34);
            f.counts.sites = u16(head, at + 36);
            f.counts.methods = u16(head, at + 38);
            return f;
        }
        return null;
    }

    /** Whether some version of a class of this (internal) name is rewritten; rarely a false yes. */
    boolean mayRewrite(String name) {
        int h = name.hashCode();
        if (h == 0) {
            h = 1;
        }
        int base = slots * SLOT;
        int mask = nameSlots - 1;
        for (int i = h & mask, tries = 0; tries < nameSlots; i = (i + 1) & mask, tries++) {
            int x = u32(head, base + 4 * i);
            if (x == 0) {
                return false;
            }
            if (x == h) {
                return true;
            }
        }
        return false;
    }
}
