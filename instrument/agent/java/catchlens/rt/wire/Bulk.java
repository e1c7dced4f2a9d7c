package catchlens.rt.wire;

import catchlens.rt.load.Bundle;

import java.io.IOException;
import java.util.HashMap;

/** The channel of binary frames: u32 length of the rest, u8 type, payload. */
public final class Bulk extends Channel {
    private final HashMap<Integer, Pending> pending = new HashMap<Integer, Pending>();
    private int lastAsk;
    private int frames;

    private static final class Pending {
        boolean done;
        Bundle.Found found;
    }

    public Bulk(int port, String token, String reply) throws IOException {
        super(port, 'B', token, reply);
    }

    private static byte[] frame(int type, Out payload) {
        return new Out().u32(payload.length() + 1).u8(type).raw(payload).toBytes();
    }

    public synchronized void put(int type, Out payload) {
        frames++;
        send(frame(type, payload));
    }

    public void putNow(int type, Out payload) {
        byte[] f;
        synchronized (this) {
            frames++;
            f = frame(type, payload);
        }
        sendNow(f);
    }

    /** The number of frames put so far, for the worker to wait for. */
    public synchronized int frames() {
        return frames;
    }

    /** Asks the worker to rewrite a class; null when no answer comes within ten seconds. */
    public Bundle.Found ask(String loaderKind, String name, byte[] bytes) {
        Pending p = new Pending();
        int id;
        synchronized (pending) {
            id = ++lastAsk;
            pending.put(id, p);
        }
        put(Wire.FRAME_ASK, new Out().u32(id).str(loaderKind).str(name).bytes(bytes));
        boolean interrupted = false;
        long end = System.nanoTime() + 10000000000L;
        synchronized (p) {
            while (!p.done && System.nanoTime() < end) {
                try {
                    p.wait(1000);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        synchronized (pending) {
            pending.remove(id);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return p.found;
    }

    @Override
    void read() throws IOException {
        for (;;) {
            int len = in.readInt();
            int type = in.readUnsignedByte();
            byte[] b = new byte[len - 1];
            in.readFully(b);
            if (type == Wire.FRAME_ANSWER) {
                answer(b);
            }
        }
    }

    private void answer(byte[] b) {
        Bundle.Found f = new Bundle.Found();
        int id = Bundle.u32(b, 0);
        if (b[4] != 0) {
            f.numberOffset = Bundle.u32(b, 5);
            f.counts.tries = Bundle.u16(b, 9);
            f.counts.handlers = Bundle.u16(b, 11);
            f.counts.sites = Bundle.u16(b, 13);
            f.counts.methods = Bundle.u16(b, 15);
            f.bytes = java.util.Arrays.copyOfRange(b, 17, b.length);
        }
        Pending p;
        synchronized (pending) {
            p = pending.get(id);
        }
        if (p != null) {
            synchronized (p) {
                p.found = f;
                p.done = true;
                p.notifyAll();
            }
        }
    }
}
