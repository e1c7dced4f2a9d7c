package clauses;

import java.io.IOException;

/** Tries and clauses with loops: what a value comes from leads to the value itself. */
public class Walking {
    interface Feed {
        String take() throws IOException;
    }

    static class Node {
        Node next;
        String text;

        void mark() { text = "x"; }
    }

    String both(Node a, Node b, Feed f) {
        try {
            Node x = a;
            while (x.next != null) x = x.next;
            x.mark();
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("field Node.text: Node.mark > clause returns")
            Node y = b;
            while (y.next != null) y = y.next;
            return y.text;
        }
    }

    static String give(Object n) { return n.toString(); }

    String apart(Node a, Node b, Feed f) {
        try {
            Node x = a;
            while (x.next != null) x = x.next;
            x.mark();
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared
            Node y = b;
            while (y.next != null) y = y.next;
            return give(y);
        }
    }

    String same(Node a, Feed f) {
        try {
            Node x = a.next;
            while (x.next != null) x = x.next;
            x.mark();
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object y: Node.mark > clause") prepared[ecj]
            Node y = a.next;
            while (y.next != null) y = y.next;
            return give(y);
        }
    }

    public static void main(String[] args) throws Exception {
        Feed f = () -> "x";
        Walking w = new Walking();
        Node a = new Node(), b = new Node();
        a.next = b;
        w.both(a, b, f);
        w.apart(a, b, f);
        w.same(a, f);
    }
}
