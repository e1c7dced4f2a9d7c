package pointsto;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Iterator;

/** Handles of loops go through what they are given. */
public class Loops {
    static class Failing implements Iterable<String>, Iterator<String> {
        private final int at;

        Failing(int at) {
            this.at = at;
        }

        @Override
        public Iterator<String> iterator() {
            if (at == 0) {
                throw new IllegalStateException("iterator"); //@ site("loop's iterator")
            }
            return this;
        }

        @Override
        public boolean hasNext() {
            if (at == 1) {
                throw new IllegalStateException("hasNext"); //@ site("loop's hasNext")
            }
            return true;
        }

        @Override
        public String next() {
            throw new IllegalStateException("next"); //@ site("loop's next")
        }
    }

    static void body(String each) {
    }

    static int run() throws Throwable {
        MethodHandle body = MethodHandles.lookup().findStatic(Loops.class, "body",
                MethodType.methodType(void.class, String.class));
        MethodHandle loop = MethodHandles.iteratedLoop(null, null, body);
        int caught = 0;
        for (int at = 0; at < 3; at++) {
            try {
                loop.invoke((Iterable<String>) new Failing(at));
            } catch (IllegalStateException e) { //@ includes("loop's iterator", "loop's hasNext", "loop's next") experienced("loop's iterator", "loop's hasNext", "loop's next")
                caught++;
            }
        }
        return caught;
    }
}
