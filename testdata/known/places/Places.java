package places;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Catches that use what their try sets up. What counts is whether the exception can come before that, and whether
 * what a test looks at comes from the clause or is the work of the try.
 */
public class Places {
    static class Trouble extends Exception {
        Trouble(String message) {
            super(message);
        }
    }

    /** What a test gives. */
    interface Step {
        void run();
    }

    interface Listener {
        void ended(boolean started, Exception e);
    }

    final ReentrantLock lock = new ReentrantLock();
    String logged = "";

    int call(boolean works) throws Trouble {
        if (!works) {
            throw new Trouble("it does not");
        }
        return 1;
    }

    void check() {
        if (lock.isLocked()) {
            throw new IllegalStateException("locked");
        }
    }

    /** Only parseInt throws it, and lines is made before. */
    int parts(List<String> in) {
        List<Integer> lines = null;
        try {
            lines = new ArrayList<>();
            for (String s : in) {
                lines.add(Integer.parseInt(s));
            }
        //@ verdict("not-resilient")
        } catch (NumberFormatException e) {
            logged = e.getMessage();
        }
        return lines.size();
    }

    /** Here one comes before. */
    int headed(List<String> in) {
        List<Integer> lines = null;
        try {
            int size = readSize(in.get(0));
            lines = new ArrayList<>(size);
            for (String s : in.subList(1, in.size())) {
                lines.add(Integer.parseInt(s));
            }
        //@ verdict("source-dependent", "not-resilient")
        } catch (NumberFormatException e) {
            logged = e.getMessage();
        }
        return lines.size();
    }

    static int readSize(String s) {
        return Integer.parseInt(s);
    }

    /** How far it came is told by what each turn sets again. */
    int turns(List<String> in) {
        int turn = 0;
        try {
            for (String s : in) {
                turn++;
                readSize(s);
            }
            return 0;
        //@ verdict("source-dependent", "not-resilient")
        } catch (NumberFormatException e) {
            return -turn;
        }
    }

    /** The same, but a turn says so once its call has returned. */
    int turned(List<String> in) {
        int i = 0;
        try {
            for (; i < in.size(); i++) {
                readSize(in.get(i));
            }
            return 0;
        //@ verdict("source-dependent", "not-resilient")
        } catch (NumberFormatException e) {
            return -i;
        }
    }

    /** lock throws no checked exception. */
    int locked(boolean works) {
        try {
            lock.lock();
            int n = call(works);
            lock.unlock();
            return n;
        //@ verdict("not-resilient")
        } catch (Trouble e) {
            lock.unlock();
            return 0;
        }
    }

    /** call does, and stands before it. */
    int lockedLate(boolean works) {
        try {
            int n = call(true);
            lock.lock();
            n += call(works);
            lock.unlock();
            return n;
        //@ verdict("source-dependent", "not-resilient")
        } catch (Trouble e) {
            lock.unlock();
            return 0;
        }
    }

    /** That constructor throws no IOException. */
    int stream(byte[] b) {
        InputStream in = null;
        try {
            in = new ByteArrayInputStream(b);
            if (in.read() < 0) {
                throw new EOFException();
            }
            return 1;
        //@ verdict("not-resilient")
        } catch (EOFException e) {
            logged = in.getClass().getSimpleName();
            return 0;
        } catch (IOException e) {
            return -1;
        }
    }

    static InputStream open(byte[] b) throws IOException {
        return new ByteArrayInputStream(b);
    }

    /** open declares one. */
    int opened(byte[] b) {
        InputStream in = null;
        try {
            in = open(b);
            if (in.read() < 0) {
                throw new EOFException();
            }
            return 1;
        //@ verdict("source-dependent", "not-resilient")
        } catch (IOException e) {
            logged = in.getClass().getSimpleName();
            return 0;
        }
    }

    /** The try sets last to what it is already, whatever the test says of its steps. */
    String reset(Step step) {
        Exception last = null;
        try {
            last = null;
            step.run();
            return "done";
        //@ verdict("source-independent", "not-resilient") paper("source-dependent")
        } catch (IllegalStateException e) {
            return last == null ? "first" : "later";
        }
    }

    /** The clause does use what the try sets, but the test looks at how often its step ran. */
    String counted(Step step) {
        boolean started = false;
        try {
            check();
            started = true;
            step.run();
            return "done";
        //@ verdict("not-resilient") paper("source-dependent")
        } catch (IllegalStateException e) {
            logged += started;
            return "failed";
        }
    }

    /** The same, and the test finds null in its own field. */
    String noticed(Step step) {
        boolean started = false;
        try {
            check();
            started = true;
            step.run();
            return "done";
        //@ verdict("not-resilient") paper("source-dependent")
        } catch (IllegalStateException e) {
            logged += started;
            return "failed";
        }
    }

    /** Here it looks at what the clause leaves behind. */
    String written(Step step) {
        boolean started = false;
        try {
            check();
            started = true;
            step.run();
            return "done";
        //@ verdict("source-dependent", "not-resilient")
        } catch (IllegalStateException e) {
            logged += started;
            return "failed";
        }
    }

    /** Here a list of the test's own takes what comes after the clause. */
    String told(Step step, Listener listener) {
        boolean started = false;
        Exception last = null;
        try {
            check();
            started = true;
            step.run();
        //@ verdict("source-dependent", "not-resilient")
        } catch (IllegalStateException e) {
            last = e;
        }
        listener.ended(started, last);
        return "ended";
    }

    /** What the listener of another test writes, this test's listener does not: it looks at how often its step ran. */
    String heard(Step step, Listener listener) {
        boolean started = false;
        Exception last = null;
        try {
            check();
            started = true;
            step.run();
        //@ verdict("not-resilient") paper("source-dependent")
        } catch (IllegalStateException e) {
            last = e;
        }
        listener.ended(started, last);
        return "ended";
    }

    /** Here the test's own listener writes it. */
    String overheard(Step step, Listener listener) {
        boolean started = false;
        Exception last = null;
        try {
            check();
            started = true;
            step.run();
        //@ verdict("source-dependent", "not-resilient")
        } catch (IllegalStateException e) {
            last = e;
        }
        listener.ended(started, last);
        return "ended";
    }

    /**
     * A loop of attempts. The attempts that the test counts are its own work. The clause asks a policy
     * that looks at the same context as the step; this changes nothing.
     */
    String retried(Step step, int most) {
        Context context = new Context();
        IllegalStateException last = null;
        while (context.goesOn(most)) {
            try {
                if (logged.length() > 1000) {
                    logged = "attempt " + context.attempts();
                }
                last = null;
                step.run();
                return "done";
            //@ verdict("not-resilient")
            } catch (IllegalStateException e) {
                last = e;
                context.failed(e);
            }
        }
        return "given up: " + last.getMessage();
    }

    interface Door {
        void open() throws IOException;

        int read() throws IOException;

        void close();
    }

    /** Only the clause closes the door, if it was opened, and the test verifies that it does. */
    int closes(Door d) {
        boolean open = false;
        try {
            d.open();
            open = true;
            return d.read();
        //@ verdict("source-dependent", "not-resilient") paper("source-dependent")
        } catch (IOException e) {
            if (open) {
                d.close();
            }
            return -1;
        }
    }

    /** The same, and the test verifies that the try has read. */
    int closesToo(Door d) {
        boolean open = false;
        try {
            d.open();
            open = true;
            return d.read();
        //@ verdict("not-resilient") paper("source-dependent")
        } catch (IOException e) {
            if (open) {
                d.close();
            }
            return -1;
        }
    }

    static class Context {
        private int failures;
        private boolean ended;

        int attempts() {
            return failures + 1;
        }

        void end() {
            ended = true;
        }

        boolean goesOn(int most) {
            return !ended && failures < most;
        }

        void failed(Exception e) {
            failures++;
        }
    }
}
