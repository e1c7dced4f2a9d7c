package catchlens.rt.record;

import catchlens.rt.wire.Out;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;

/**
 * Has a thread read a counter before it is written and set it afterwards, and one that has read an
 * old count set that; prints what was written after each, in all.
 */
public final class Counted {
    public static void main(String[] args) throws Exception {
        long written = 0;
        for (int i = 0; i < 100; i++) {
            ProbeCounts.add(1, 3);
        }
        Field all = ProbeCounts.class.getDeclaredField("all");
        all.setAccessible(true);
        long[] counters = ((long[][]) all.get(null))[1];
        long read = counters[3];
        System.out.print((written += write()) + " ");
        counters[3] = read + 1;
        System.out.print((written += write()) + " " + write() + " ");
        counters[3] = read - 50 + 1;
        System.out.print(written + write());
    }

    /** What is written of all counters. */
    private static long write() {
        Out out = new Out();
        ProbeCounts.write(out);
        ByteBuffer b = ByteBuffer.wrap(out.toBytes());
        long written = 0;
        for (int classes = b.getInt(); classes > 0; classes--) {
            b.getInt();
            for (int probes = b.getInt(); probes > 0; probes--) {
                b.getShort();
                written += b.getLong();
            }
        }
        if (b.hasRemaining()) {
            throw new IllegalStateException("more is written than told");
        }
        return written;
    }
}
