package catchlens.rt;

/** A growing byte array, big-endian. */
final class Out {
    private byte[] b = new byte[512];
    private int n;

    private void room(int k) {
        if (n + k > b.length) {
            b = java.util.Arrays.copyOf(b, Math.max(2 * b.length, n + k));
        }
    }

    Out u8(int v) {
        room(1);
        b[n++] = (byte) v;
        return this;
    }

    Out u16(int v) {
        room(2);
        b[n++] = (byte) (v >> 8);
        b[n++] = (byte) v;
        return this;
    }

    Out u32(int v) {
        room(4);
        setU32(n, v);
        n += 4;
        return this;
    }

    Out u64(long v) {
        return u32((int) (v >> 32)).u32((int) v);
    }

    /** A string as UTF-8 behind its length in bytes; null is written as the empty string. */
    Out str(String s) {
        if (s == null) {
            return u32(0);
        }
        return bytes(s.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    Out bytes(byte[] v) {
        return bytes(v, 0, v.length);
    }

    Out bytes(byte[] v, int off, int len) {
        u32(len);
        room(len);
        System.arraycopy(v, off, b, n, len);
        n += len;
        return this;
    }

    /** What other holds, without a length. */
    Out raw(Out other) {
        room(other.n);
        System.arraycopy(other.b, 0, b, n, other.n);
        n += other.n;
        return this;
    }

    int length() {
        return n;
    }

    void setU16(int at, int v) {
        b[at] = (byte) (v >> 8);
        b[at + 1] = (byte) v;
    }

    void setU32(int at, int v) {
        b[at] = (byte) (v >> 24);
        b[at + 1] = (byte) (v >> 16);
        b[at + 2] = (byte) (v >> 8);
        b[at + 3] = (byte) v;
    }

    byte[] toBytes() {
        return java.util.Arrays.copyOf(b, n);
    }
}
