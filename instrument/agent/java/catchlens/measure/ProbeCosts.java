package catchlens.measure;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * Measures what probes cost in this JVM, in processor time of the thread, and prints two numbers of
 * nanoseconds: what one execution of a probe takes that sets an element of an array, in compiled
 * code; and what the first execution of a call site takes that removes itself by being linked.
 */
public final class ProbeCosts {
    private ProbeCosts() {}

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int PAIRS = 9;
    private static final int PASSES = 4000;
    private static final byte[] DATA = new byte[4096];
    private static final int[] FOUND = new int[256];
    private static final int LONGEST = 5; // run of one byte
    private static final int CLASSES = 9;
    private static final int METHODS = 20;
    private static final int SITES = 20; // of a method

    static boolean[] hits = new boolean[METHODS * SITES];
    private static final boolean[] array = new boolean[8];

    public static void main(String[] args) throws Throwable {
        System.out.println(staticProbe() + " " + demandProbe());
    }

    /** What a probe in an array costs: of pairs of passes with and without them, the median. */
    private static double staticProbe() {
        int runs = 0, filled = 0;
        while (filled < DATA.length) {
            runs++;
            for (int n = runs % LONGEST; n >= 0 && filled < DATA.length; n--) {
                DATA[filled++] = (byte) runs;
            }
        }
        double probes = 4.0 * runs + (DATA.length - runs); // that one pass executes
        double[] each = new double[PAIRS];
        int sum = 0;
        for (int pair = -PAIRS; pair < PAIRS; pair++) { // the first ones have them compiled
            long start = now();
            for (int pass = 0; pass < PASSES; pass++) {
                sum += without(pass);
            }
            long middle = now();
            for (int pass = 0; pass < PASSES; pass++) {
                sum += with(pass);
            }
            if (pair >= 0) {
                each[pair] = ((now() - middle) - (middle - start)) / (PASSES * probes);
            }
        }
        if (sum == 42) {
            System.err.println(sum); // else nobody needs it
        }
        return median(each);
    }

    /** Finds runs of one byte: loops whose branches the processor foresees, so that a probe is not free. */
    private static int without(int seed) {
        int sum = seed;
        for (int i = 0; i < DATA.length; ) {
            int v = DATA[i];
            int j = i + 1;
            while (j < DATA.length && DATA[j] == v) {
                sum += j;
                j++;
            }
            if (j - i > LONGEST / 2) {
                sum ^= v << 2;
            } else {
                sum += v;
            }
            FOUND[v & 255] += j - i;
            i = j;
        }
        return sum;
    }

    private static int with(int seed) {
        boolean[] a = array;
        int sum = seed;
        for (int i = 0; i < DATA.length; ) {
            a[0] = true;
            int v = DATA[i];
            int j = i + 1;
            while (j < DATA.length && DATA[j] == v) {
                a[1] = true;
                sum += j;
                j++;
            }
            a[2] = true;
            if (j - i > LONGEST / 2) {
                a[3] = true;
                sum ^= v << 2;
            } else {
                a[4] = true;
                sum += v;
            }
            a[5] = true;
            FOUND[v & 255] += j - i;
            i = j;
        }
        return sum;
    }

    /** What linking a call site costs: of classes full of them, the median but for the first. */
    private static double demandProbe() throws Throwable {
        double[] each = new double[CLASSES - 1];
        for (int c = 0; c < CLASSES; c++) {
            Class<?> of = new Loader().define(sites("catchlens/measure/Sites" + c));
            Arrays.fill(hits, false);
            Runnable run = (Runnable) of.getConstructor().newInstance();
            long start = now();
            run.run();
            long took = now() - start;
            for (boolean hit : hits) {
                if (!hit) {
                    throw new IllegalStateException("a call site was not linked");
                }
            }
            if (c > 0) {
                each[c - 1] = (double) took / hits.length;
            }
        }
        return median(each);
    }

    private static final MethodHandle NOTHING = nothing();

    private static MethodHandle nothing() {
        try {
            return MethodHandles.lookup().findStatic(ProbeCosts.class, "none", MethodType.methodType(void.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void none() {}

    /** The bootstrap method of the call sites: the name is the number of the probe, behind a letter. */
    public static CallSite link(MethodHandles.Lookup lookup, String name, MethodType type) {
        hits[Integer.parseInt(name.substring(1))] = true;
        return new ConstantCallSite(NOTHING);
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(ProbeCosts.class.getClassLoader());
        }

        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }
    }

    /** A class file: a Runnable that calls methods, each of which has call sites and nothing else. */
    private static byte[] sites(String name) throws IOException {
        ByteArrayOutputStream pool = new ByteArrayOutputStream();
        DataOutputStream p = new DataOutputStream(pool);
        int[] next = {1};
        int self = classAt(p, next, name);
        int object = classAt(p, next, "java/lang/Object");
        int runnable = classAt(p, next, "java/lang/Runnable");
        int nothing = text(p, next, "()V"), code = text(p, next, "Code");
        int init = text(p, next, "<init>"), run = text(p, next, "run");
        int bootstraps = text(p, next, "BootstrapMethods");
        int superInit = pair(p, next, 10, object, pair(p, next, 12, init, nothing));
        int owner = classAt(p, next, ProbeCosts.class.getName().replace('.', '/'));
        int link = pair(p, next, 10, owner, pair(p, next, 12, text(p, next, "link"), text(p, next,
                "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;")));
        p.writeByte(15); // MethodHandle, REF_invokeStatic
        p.writeByte(6);
        p.writeShort(link);
        int handle = next[0]++;
        int[] method = new int[METHODS], ref = new int[METHODS], site = new int[METHODS * SITES];
        for (int m = 0; m < METHODS; m++) {
            method[m] = text(p, next, "m" + m);
            ref[m] = pair(p, next, 10, self, pair(p, next, 12, method[m], nothing));
        }
        for (int s = 0; s < site.length; s++) {
            site[s] = pair(p, next, 18, 0, pair(p, next, 12, text(p, next, "p" + s), nothing));
        }

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DataOutputStream o = new DataOutputStream(out);
        o.writeInt(0xCAFEBABE);
        o.writeInt(51); // Java 7: the first with invokedynamic
        o.writeShort(next[0]);
        pool.writeTo(o);
        for (int n : new int[] {0x21, self, object, 1, runnable, 0, METHODS + 2}) {
            o.writeShort(n);
        }
        int[] body = {0x2a, 0xb7, superInit >> 8, superInit & 0xff, 0xb1}; // aload_0, invokespecial, return
        method(o, 1, init, nothing, code, body);
        body = new int[3 * METHODS + 1];
        for (int m = 0; m < METHODS; m++) {
            body[3 * m] = 0xb8; // invokestatic
            body[3 * m + 1] = ref[m] >> 8;
            body[3 * m + 2] = ref[m] & 0xff;
        }
        body[3 * METHODS] = 0xb1;
        method(o, 1, run, nothing, code, body);
        for (int m = 0; m < METHODS; m++) {
            body = new int[5 * SITES + 1];
            for (int s = 0; s < SITES; s++) {
                body[5 * s] = 0xba; // invokedynamic
                body[5 * s + 1] = site[m * SITES + s] >> 8;
                body[5 * s + 2] = site[m * SITES + s] & 0xff;
            }
            body[5 * SITES] = 0xb1;
            method(o, 9, method[m], nothing, code, body);
        }
        o.writeShort(1);
        o.writeShort(bootstraps);
        o.writeInt(6);
        for (int n : new int[] {1, handle, 0}) {
            o.writeShort(n);
        }
        return out.toByteArray();
    }

    private static void method(DataOutputStream o, int flags, int name, int desc, int code, int[] body) throws IOException {
        for (int n : new int[] {flags, name, desc, 1, code}) {
            o.writeShort(n);
        }
        o.writeInt(12 + body.length);
        o.writeShort(1);
        o.writeShort(1);
        o.writeInt(body.length);
        for (int b : body) {
            o.writeByte(b);
        }
        o.writeInt(0);
    }

    private static int text(DataOutputStream p, int[] next, String s) throws IOException {
        p.writeByte(1);
        p.writeUTF(s);
        return next[0]++;
    }

    private static int classAt(DataOutputStream p, int[] next, String name) throws IOException {
        int n = text(p, next, name);
        p.writeByte(7);
        p.writeShort(n);
        return next[0]++;
    }

    private static int pair(DataOutputStream p, int[] next, int tag, int first, int second) throws IOException {
        p.writeByte(tag);
        p.writeShort(first);
        p.writeShort(second);
        return next[0]++;
    }

    private static long now() {
        return THREADS.getCurrentThreadCpuTime();
    }

    private static double median(double[] of) {
        Arrays.sort(of);
        return of[of.length / 2];
    }
}
