import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Methods in, after and around tries. "[name" ends the line where the try of a catch begins, "name]"
 * the last line of its clause; behind it stands what ran below, of the methods whose names begin with
 * "in", and after a slash what ran on other threads meanwhile; or "unknown".
 */
public class Ran {
    static void inBody() {}
    static void inBoth() {}
    static void inDeep() { inDeeper(); }
    static void inDeeper() {}
    static void inClause() {}
    static void inNothing() {}
    static int inCompare(int a, int b) { return Integer.compare(a, b); }
    static int inStream(int x) { return x; }
    static void inLeaf() {}
    static void inOther() {}
    static void inOuter() {}
    static void inInner() {}

    public static void testHelpers() {
        inNothing();
        inBoth();
        try { // [helpers
            inBoth();
            inBody();
            inDeep();
            throw new IllegalStateException();
        } catch (IllegalStateException e) {
            inClause();
        } // helpers] inBody inBoth inClause inDeep inDeeper
        inBoth();
        inNothing();
    }

    public static void testCallbacks() {
        List<Integer> list = new ArrayList<Integer>(Arrays.asList(3, 1, 2));
        try { // [callbacks
            Collections.sort(list, new Comparator<Integer>() {
                @Override public int compare(Integer a, Integer b) { return inCompare(a, b); }
            });
            list = list.stream().map(x -> inStream(x)).collect(Collectors.toList());
        } catch (IllegalStateException e) {
            inClause();
        } // callbacks] inCompare inStream
        inNothing();
    }

    static void inRecursion(int n) {
        try { // [recursion
            if (n == 0) {
                inLeaf();
                throw new IllegalStateException();
            }
            inRecursion(n - 1);
        } catch (IllegalStateException e) {
            inClause();
        } // recursion] inBody inClause inLeaf inRecursion
        inBody();
    }

    // The clause of the innermost call runs below the tries of the others, and so does
    // what follows it.
    public static void testRecursion() {
        inRecursion(3);
        inNothing();
    }

    static void inFlat(int n) {
        try { // [flat
            inLeaf();
        } catch (IllegalStateException e) {
            inClause();
        } // flat] inLeaf
        if (n > 0) inFlat(n - 1);
        inNothing();
    }

    // Recursion outside a try is not below it.
    public static void testFlat() {
        inFlat(3);
    }

    // More frames than the JVM puts into a stack trace.
    static void inDig(int n) {
        if (n == 0) inLeaf(); else inDig(n - 1);
    }

    public static void testDeep() {
        try { // [deep
            inDig(1500);
        } catch (IllegalStateException e) {
            inClause();
        } // deep] inDig inLeaf
        inNothing();
    }

    static void inThread() {
        try { // [thread
            inOther();
        } catch (IllegalStateException e) {
            inClause();
        } // thread] inOther
        inNothing();
    }

    public static void testThread() throws Exception {
        Thread t = new Thread(new Runnable() {
            @Override public void run() { inThread(); }
        });
        try { // [waiting
            t.start();
            t.join();
            inBody();
        } catch (IllegalStateException e) {
            inClause();
        } // waiting] inBody / inNothing inOther inThread
    }

    public static void testNested() {
        try { // [outer
            inOuter();
            try { // [inner
                inInner();
                throw new IllegalStateException();
            } catch (IllegalStateException e) {
                inClause();
            } // inner] inClause inInner
            inBoth();
        } catch (IllegalStateException e) {
            inNothing();
        } // outer] inBoth inClause inInner inOuter
        inNothing();
    }

    public static void testLoop() {
        for (int i = 0; i < 1000; i++) {
            try { // [loop
                inBody();
            } catch (IllegalStateException e) {
                inClause();
            } // loop] inBody
        }
        inNothing();
    }

    // Between two rounds the try is left each time, too often to follow.
    public static void testRounds() {
        for (int i = 0; i < 1000; i++) {
            try { // [rounds
                inBody();
            } catch (IllegalStateException e) {
                inClause();
            } // rounds] unknown
            inNothing();
        }
    }
}
