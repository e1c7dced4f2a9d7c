import java.io.*;

/**
 * Java that every level from 7 on compiles. "@ ops a b" lists instructions that
 * the line must be compiled to, "@ never a" those that it must not.
 */
public class Old extends Thread implements Runnable, Serializable {
    static final int ANSWER = 42;
    static final long BIG = 1L << 40;
    static final double HALF = 0.5;
    static final float THIRD = 1f / 3;
    static final String TEXT = "nul \0, e-acute \u00e9, euro \u20ac, clef \ud834\udd1e, lone \udd1e\ud834";
    int field;
    static volatile long shared;

    Old(String name) {
        super(name.isEmpty() ? "empty" : name); //@ ops ifeq ldc goto invokespecial
    }

    static int dense(int i) {
        switch (i) { //@ ops tableswitch ; never lookupswitch
            case 3: return 30;
            case 4: return 40;
            case 6: return 60;
            default: return -1;
        }
    }

    static int sparse(int i) {
        switch (i) { //@ ops lookupswitch ; never tableswitch
            case -2000000000: return 1;
            case 7: return 2;
            case 2000000000: return 3;
        }
        return 0; //@ ops iconst_0 ireturn
    }

    static long arithmetic(long a, double b, float c, int d) {
        long r = a * 3 - (long) b; //@ ops lload_0 ldc2_w lmul d2l lsub lstore
        r ^= r >>> d; //@ ops lushr lxor
        r += (int) c % 7; //@ ops f2i bipush irem i2l ladd
        return r < BIG ? -r : r; //@ ops lcmp ifge lneg lreturn
    }

    Object objects(Object[] in, int n) throws IOException, InterruptedException {
        int[][] grid = new int[n][4]; //@ ops multianewarray
        String[] names = new String[n]; //@ ops anewarray
        byte[] raw = new byte[n]; //@ ops newarray
        raw[0] = (byte) grid[0][1]; //@ ops aaload iaload i2b bastore
        synchronized (this) { //@ ops monitorenter
            field += in.length; //@ ops getfield arraylength putfield
        }
        if (in[0] instanceof String) names[0] = (String) in[0]; //@ ops instanceof checkcast aastore
        if (n > 4000) throw new IOException("n"); //@ ops sipush if_icmple new dup athrow
        shared = n; //@ ops putstatic
        return names;
    }

    int handlers(InputStream in) {
        try {
            return in.read(); //@ ops invokevirtual
        } catch (FileNotFoundException e) {
            return -1;
        } catch (IOException e) {
            return -2;
        } finally {
            field++;
        }
    }

    void uninitialized(boolean b, Object o) {
        o = new Old(b ? "yes" : o.toString()); //@ ops new dup ifeq invokespecial
        Runnable r = new Runnable() {
            public void run() { field = ANSWER; }
        };
        class Local { long x = shared; }
        ((Runnable) o).run(); //@ ops invokeinterface
        System.out.println(new Local().x + r.hashCode());
    }

    static int many(int p) {
        long a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, a8 = 8, a9 = 9;
        long b0 = a0, b1 = a1, b2 = a2, b3 = a3, b4 = a4, b5 = a5, b6 = a6, b7 = a7, b8 = a8, b9 = a9;
        long c0 = a0, c1 = a1, c2 = a2, c3 = a3, c4 = a4, c5 = a5, c6 = a6, c7 = a7, c8 = a8, c9 = a9;
        long d0 = a0, d1 = a1, d2 = a2, d3 = a3, d4 = a4, d5 = a5, d6 = a6, d7 = a7, d8 = a8, d9 = a9;
        long e0 = a0, e1 = a1, e2 = a2, e3 = a3, e4 = a4, e5 = a5, e6 = a6, e7 = a7, e8 = a8, e9 = a9;
        long f0 = a0, f1 = a1, f2 = a2, f3 = a3, f4 = a4, f5 = a5, f6 = a6, f7 = a7, f8 = a8, f9 = a9;
        long g0 = a0, g1 = a1, g2 = a2, g3 = a3, g4 = a4, g5 = a5, g6 = a6, g7 = a7, g8 = a8, g9 = a9;
        long h0 = a0, h1 = a1, h2 = a2, h3 = a3, h4 = a4, h5 = a5, h6 = a6, h7 = a7, h8 = a8, h9 = a9;
        long i0 = a0, i1 = a1, i2 = a2, i3 = a3, i4 = a4, i5 = a5, i6 = a6, i7 = a7, i8 = a8, i9 = a9;
        long j0 = a0, j1 = a1, j2 = a2, j3 = a3, j4 = a4, j5 = a5, j6 = a6, j7 = a7, j8 = a8, j9 = a9;
        long k0 = a0, k1 = a1, k2 = a2, k3 = a3, k4 = a4, k5 = a5, k6 = a6, k7 = a7, k8 = a8, k9 = a9;
        long l0 = a0, l1 = a1, l2 = a2, l3 = a3, l4 = a4, l5 = a5, l6 = a6, l7 = a7, l8 = a8, l9 = a9;
        long m0 = a0, m1 = a1, m2 = a2, m3 = a3, m4 = a4, m5 = a5, m6 = a6, m7 = a7, m8 = a8, m9 = a9;
        int far = p; //@ ops iload_0 wide:istore
        far += 1000; //@ ops wide:iinc ; never iinc
        p += 1000; //@ ops wide:iinc
        p++; //@ ops iinc ; never wide:iinc
        for (int i = 0; i < p; i++) far += m9; //@ ops wide:iload wide:lload wide:iinc
        return far; //@ ops wide:iload ireturn
    }

    native int nothing(int i);
}
