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

    static class Words {
        final StringBuilder all = new StringBuilder();

        Words next() { return new Words(); }
        void add(int n) { all.append(n); }
    }

    String switches(int[] steps, Words other, Feed f) {
        Words w = new Words();
        try {
            for (int step : steps) {
                switch (step) {
                    case 0: w = w.next(); break;
                    case 1: w = w.next(); break;
                    case 2: w = w.next(); break;
                    case 3: w = w.next(); break;
                    case 4: w = w.next(); break;
                    case 5: w = w.next(); break;
                    case 6: w = w.next(); break;
                    case 7: w = w.next(); break;
                    case 8: w = w.next(); break;
                    case 9: w = w.next(); break;
                    case 10: w = w.next(); break;
                    case 11: w = w.next(); break;
                    case 12: w = w.next(); break;
                    case 13: w = w.next(); break;
                    default: w = w.next();
                }
            }
            w.add(1);
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared
            return give(other);
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
        w.switches(new int[3], new Words(), f);
    }
}
