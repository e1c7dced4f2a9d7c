package clauses;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.StringJoiner;

/** Text that the try makes of an object does not set the object up; what it is added to, it does. */
public class Texts {
    interface Feed { String take() throws IOException; }

    private final Deque<String> queue = new ArrayDeque<>();
    private final StringBuilder log = new StringBuilder();

    private static void use(Deque<String> q) { System.out.println(q.size()); }

    void appends(Feed f) {
        try {
            use(f.take() + new StringBuilder().append("of ").append(queue).insert(0, queue));
        } catch (IOException e) {   //@ clause("open") prepared
            use(queue);
        }
    }

    void formats(Feed f) {
        try {
            use(f.take() + String.format("of %s", queue) + String.valueOf(queue) + Objects.toString(queue));
        } catch (IOException e) {   //@ clause("open") prepared
            use(queue);
        }
    }

    void joins(Feed f) {
        try {
            use("of " + queue + f.take());
        } catch (IOException e) {   //@ clause("open") prepared
            use(queue);
        }
    }

    /** Elements are polled before: that is no text. */
    void polls(Feed f) {
        try {
            use("of " + queue.poll() + f.take());
        } catch (IOException e) {   //@ clause("open") prepared("object Texts.queue: Deque.poll > clause")
            use(queue);
        }
    }

    String fills(Feed f) {
        try {
            log.append(queue);
            return f.take();
        } catch (IOException e) {   //@ clause("open") prepared("object Texts.log: StringBuilder.append > clause")
            return log.toString();
        }
    }

    String prints(Feed f, StringWriter w, StringJoiner j) {
        try {
            new PrintWriter(w).println(queue);
            j.add(log).add(f.take());
            return f.take();
        } catch (IOException e) {   //@ clause("open") prepared("object j: StringJoiner.add > clause")
            return log.toString() + queue.size() + j;
        }
    }

    /** An address is a value, but for what asks the network. */
    String reaches(Feed f, InetAddress at) {
        try {
            return new StringBuilder().append(at).append(f.take()).toString();
        } catch (IOException e) {   //@ clause("unaffected") prepared
            return "not " + at + " " + at.getHostAddress();
        }
    }

    String resolves(Feed f, InetSocketAddress at) {
        try {
            return f.take() + at.getPort();
        } catch (IOException e) {   //@ clause("open") prepared
            return at.getHostName();
        }
    }

    private static void use(String s) { System.out.println(s); }

    public static void main(String[] args) throws Exception {
        Feed f = () -> { throw new IOException(); };
        Texts t = new Texts();
        t.appends(f);
        t.formats(f);
        t.joins(f);
        t.polls(f);
        t.fills(f);
        t.prints(f, new StringWriter(), new StringJoiner(","));
        t.reaches(f, InetAddress.getLoopbackAddress());
        t.resolves(f, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    }
}
