package catchlens.rt.wire;

import catchlens.rt.Agent;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayDeque;

/**
 * One connection to the worker. A thread of its own writes, so that a user thread which is stopped,
 * or interrupted on a virtual thread, cannot leave half a message behind.
 */
public class Channel {
    private final Socket socket;
    final DataInputStream in;
    private final OutputStream out;
    private final ArrayDeque<Message> queue = new ArrayDeque<Message>();
    private boolean broken;

    private static final class Message {
        final byte[] bytes;
        boolean done;

        Message(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    /** Connects and authenticates both sides; throws when the other side does not know the reply. */
    Channel(int port, char kind, String token, String reply) throws IOException {
        socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 16384));
        out = socket.getOutputStream();
        out.write((token + kind + "\n").getBytes("US-ASCII"));
        byte[] got = new byte[reply.length() + 1];
        socket.setSoTimeout(10000);
        in.readFully(got);
        socket.setSoTimeout(0);
        if (!new String(got, "US-ASCII").equals(reply + "\n")) {
            throw new IOException("the worker did not authenticate");
        }
    }

    public void start(String name) {
        Agent.daemon("catchlens-" + name + "-writer", new Runnable() {
            @Override
            public void run() {
                write();
            }
        });
        Agent.daemon("catchlens-" + name + "-reader", new Runnable() {
            @Override
            public void run() {
                try {
                    read();
                } catch (Throwable t) {
                    Agent.lost(t);
                }
            }
        });
    }

    /** Reads until the connection ends; a subclass says what. */
    void read() throws IOException {}

    private void write() {
        for (;;) {
            try {
                Message m;
                synchronized (queue) {
                    while (queue.isEmpty()) {
                        queue.wait();
                    }
                    m = queue.removeFirst();
                }
                out.write(m.bytes);
                synchronized (m) {
                    m.done = true;
                    m.notifyAll();
                }
            } catch (OutOfMemoryError e) {
                continue; // the heap is the test's to fill; what is queued goes out later
            } catch (Throwable t) {
                synchronized (queue) {
                    broken = true;
                }
                Agent.lost(t);
                return;
            }
        }
    }

    private Message put(byte[] bytes) {
        Message m = new Message(bytes);
        synchronized (queue) {
            if (!broken) {
                queue.addLast(m);
                queue.notify();
            }
        }
        return m;
    }

    void send(byte[] bytes) {
        put(bytes);
    }

    /** Sends and returns when the bytes have left the process, or after two seconds. */
    void sendNow(byte[] bytes) {
        Message m = put(bytes);
        boolean interrupted = false;
        long end = System.nanoTime() + 2000000000L;
        synchronized (m) {
            while (!m.done && System.nanoTime() < end) {
                try {
                    m.wait(100);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
