package catchlens.rt.wire;

/** A growing byte array, big-endian. */
public final class Out {
    private byte[] b = new byte[512];
    private int n;

    private void room(int k) {
        if (n + k > b.length) {
            b = java.util.Arrays.copyOf(b, Math.max(2 * b.length, n + k));
        }
    }

    public Out u8(int v) {
        room(1);
        b[n++] = (byte) v;
        return this;
    }

    public Out u16(int v) {
        room(2);
        b[n++] = (byte) (v >> 8);
        b[n++] = (byte) v;
        return this;
    }

    public Out u32(int v) {
        room(4);
        setU32(n, v);
        n += 4;
        return this;
    }

    public Out u64(long v) {
        return u32((int) (v >> 32)).u32((int) v);
    }

    /** A string as UTF-8 behind its length in bytes; null is written as the empty string. */
    public Out str(String s) {
        if (s == null) {
            return u32(0);
        }
        return bytes(s.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    public Out bytes(byte[] v) {
        return bytes(v, 0, v.length);
    }

    public Out bytes(byte[] v, int off, int len) {
        u32(len);
        room(len);
        System.arraycopy(v, off, b, n, len);
        n += len;
        return this;
    }

    /** What other holds, without a length. */
    public Out raw(Out other) {
        room(other.n);
        System.arraycopy(other.b, 0, b, n, other.n);
        n += other.n;
        return this;
    }

    public int length() {
        return n;
    }

    public void setU16(int at, int v) {
        b[at] = (byte) (v >> 8);
        b[at + 1] = (byte) v;
    }

    public void setU32(int at, int v) {
        b[at] = (byte) (v >> 24);
        b[at + 1] = (byte) (v >> 16);
        b[at + 2] = (byte) (v >> 8);
        b[at + 3] = (byte) v;
    }

    public byte[] toBytes() {
        return java.util.Arrays.copyOf(b, n);
    }
}
