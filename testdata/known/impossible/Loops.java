package impossible;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Iterator;
import java.util.List;

/** Where nobody makes the handle of a loop, invoking one goes through nothing. */
public class Loops {
    static class Failure extends Exception {
        Failure(String message) {
            super(message);
        }
    }

    static class Unreadable implements Iterable<String>, Iterator<String> {
        @Override
        public Iterator<String> iterator() {
            throw new IllegalStateException("iterator");
        }

        @Override
        public boolean hasNext() {
            throw new IllegalStateException("hasNext");
        }

        @Override
        public String next() {
            throw new IllegalStateException("next");
        }
    }

    static void take(Object of) throws Failure {
        throw new Failure("take " + of);
    }

    static String describe(MethodHandle handle, Object of) throws Throwable {
        try {
            handle.invoke(of);
            return "taken";
        } catch (Failure | IllegalStateException e) { //@ includes("impossible.Loops.take") excludes("impossible.Loops$Unreadable.hasNext","impossible.Loops$Unreadable.next","impossible.Loops$Unreadable.iterator")
            return e.getMessage();
        }
    }

    public static void main(String[] args) throws Throwable {
        MethodHandle take = MethodHandles.lookup().findStatic(Loops.class, "take",
                MethodType.methodType(void.class, Object.class));
        for (Object of : List.of(new Unreadable(), "text")) {
            System.out.println(describe(take, of));
        }
        Unreadable all = new Unreadable();
        all.iterator();
        all.hasNext();
        all.next();
    }
}
