package catchlens.rt.fault;

import java.io.FileInputStream;
import java.io.IOException;

/**
 * A fault of the operating system, asked of the supervisor of this JVM's system calls (package
 * osfault): armed for the next matching call of one thread, and taken back. A request is made by
 * opening a file that does not exist, which the supervisor answers with a pipe.
 */
public final class SystemFault {
    private static final String PREFIX = "/proc/self/catchlens-fault/";

    private final String id;
    /** The operation and what it is about, for the record. */
    final String operation;
    final String about;
    /** The thread that it was armed for, and whether that had entered the try. */
    final Thread thread;
    final boolean mine;

    /** Stands for one that is not armed yet. */
    SystemFault() {
        id = null;
        operation = null;
        about = null;
        thread = null;
        mine = false;
    }

    /** Arms a fault of a kind for what this thread does next to a path or peer; about may be null. */
    SystemFault(String kind, boolean net, String operation, String about, boolean mine) throws IOException {
        this.operation = operation;
        this.about = about;
        this.mine = mine;
        thread = Thread.currentThread();
        String target;
        if (net) {
            target = address(about) ? "peer=" + encode(bracketed(about)) : "peer=*:0&spare=jvm";
        } else {
            boolean named = about != null && !about.isEmpty() && about.indexOf(':') < 0;
            target = named ? "path=" + encode(new java.io.File(about).getAbsolutePath()) : "path=/&spare=jvm";
        }
        id = ask("inject?kind=" + kind + "&thread=mine&times=1&" + target);
    }

    /** Whether it is "host:port", and not a path or a socket that has no peer yet. */
    private static boolean address(String s) {
        return s != null && s.lastIndexOf(':') > 0 && s.indexOf('/') < 0 && s.indexOf('[') < 0;
    }

    /** The host in brackets where it is an address with colons. */
    private static String bracketed(String s) {
        int port = s.lastIndexOf(':');
        return s.indexOf(':') == port ? s : "[" + s.substring(0, port) + "]" + s.substring(port);
    }

    /** Takes it back; whether it has struck. */
    boolean settle() throws IOException {
        return !ask("cancel?id=" + id).startsWith("0");
    }

    private static String ask(String request) throws IOException {
        FileInputStream in = new FileInputStream(PREFIX + request);
        try {
            byte[] all = new byte[4096];
            int n = 0;
            for (int got; n < all.length && (got = in.read(all, n, all.length - n)) > 0;) {
                n += got;
            }
            String answer = new String(all, 0, n, "UTF-8").trim();
            if (!answer.startsWith("ok ")) {
                throw new IOException(answer);
            }
            return answer.substring(3);
        } finally {
            in.close();
        }
    }

    /** As in the query of a URL. */
    private static String encode(String s) throws IOException {
        StringBuilder b = new StringBuilder();
        for (byte x : s.getBytes("UTF-8")) {
            if (x >= 'a' && x <= 'z' || x >= 'A' && x <= 'Z' || x >= '0' && x <= '9' || x == '.' || x == '-' || x == '_') {
                b.append((char) x);
            } else {
                b.append('%').append(Character.forDigit(x >> 4 & 15, 16)).append(Character.forDigit(x & 15, 16));
            }
        }
        return b.toString();
    }
}
