package clauses;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;

/** Tries that are all that a thread does. */
public class Threads {
    static class Log { static int started; }

    interface Feed { void pump() throws IOException; }

    static class Pump implements Runnable {
        private final Feed feed;
        Pump(Feed feed) { this.feed = feed; }
        public void run() {
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared thread ends
                System.err.println("stopped");
            }
        }
    }

    static class Second implements Runnable {
        private final Feed feed;
        Second(Feed feed) { this.feed = feed; }
        public void run() {
            System.out.println("started");
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared ends
                System.err.println("stopped");
            }
        }
    }

    static class Asked implements Callable<String> {
        private final Feed feed;
        Asked(Feed feed) { this.feed = feed; }
        public String call() {
            try {
                feed.pump();
                return "done";
            } catch (IOException e) {   //@ clause("unaffected") prepared thread
                return "failed";
            }
        }
    }

    /** What a thread calls first, by way of accessors too, is its life as well. */
    static class Writer implements Runnable {
        private final Feed feed;
        private int written;
        Writer(Feed feed) { this.feed = feed; }
        public void run() {
            Thread.currentThread().setName("writer-" + Thread.currentThread().getId());
            try {
                if (waits()) write();
            } catch (IllegalStateException e) { //@ clause("unaffected") prepared thread ends
                System.err.println("stopped");
            }
        }
        private boolean waits() { return written == 0; }
        private void write() {
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared thread
                System.err.println("stopped");
            }
        }
    }

    /** A thread that does something before it, or a method that others call, too. */
    static class Counter extends Thread {
        private final Feed feed;
        Counter(Feed feed) { this.feed = feed; }
        public void run() {
            setName("counter");
            Log.started++;
            first();
            both();
        }
        private void first() {
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared
                System.err.println("stopped");
            }
        }
        void both() {
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared
                System.err.println("stopped");
            }
        }
    }

    /** One that a thread begins with, and a test may call. */
    static class Shared implements Runnable {
        private final Feed feed;
        Shared(Feed feed) { this.feed = feed; }
        public void run() { pump(); }
        void pump() {
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared
                System.err.println("stopped");
            }
        }
    }

    interface Reports { void error(String text, Throwable cause); }

    /** A loop that is the life of a thread, which tells its end to somebody and cleans up. */
    static class Listener implements Runnable {
        private final Feed feed;
        private final Reports reports;
        private boolean running;
        Listener(Feed feed, Reports reports) {
            this.feed = feed;
            this.reports = reports;
        }
        public void run() {
            set(true);
            try {
                while (running) feed.pump();
            } catch (IOException e) {   //@ clause("open") prepared("field Listener.running: Feed.pump > ") ends
                reports.error("ends: " + e.getMessage(), e.getCause());
            } finally {
                set(false);
            }
        }
        private void set(boolean running) { this.running = running; }
    }

    /** What goes on after it, in the clause or behind it, is what the thread does as well. */
    static class GoesOn implements Runnable {
        private final Feed feed;
        private boolean failed;
        GoesOn(Feed feed) { this.feed = feed; }
        public void run() {
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("open") prepared("field GoesOn.failed: Feed.pump > ") thread
                failed = true;
            }
        }
        private void fall() { failed = true; }
        private InterruptedException stopped;
        Runnable otherwise() {
            return () -> {
                try {
                    feed.pump();
                } catch (IOException e) {   //@ clause("open") prepared("field GoesOn.failed: Feed.pump > ") thread
                    fall();
                }
            };
        }
        Runnable afterwards() {
            return () -> {
                try {
                    if (stopped != null) throw stopped;
                } catch (InterruptedException e) { //@ clause("unaffected") prepared thread
                }
                Log.started++;
            };
        }
        Runnable again() {
            return () -> {
                for (int i = 0; i < 2; i++) {
                    try {
                        feed.pump();
                    } catch (IOException e) {   //@ clause("open") prepared("field GoesOn.failed: Feed.pump > ") thread
                        System.err.println("once more");
                    }
                }
            };
        }
    }

    void lambda(Feed f, ExecutorService pool) {
        pool.submit(() -> {
            try {
                f.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared thread ends
                System.err.println("stopped");
            }
        });
    }

    void noThread(Feed f) {
        Feed other = () -> {
            try {
                f.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared
                System.err.println("stopped");
            }
        };
        try {
            other.pump();
        } catch (IOException e) {       //@ clause("unaffected") prepared
            System.err.println("stopped");
        }
    }

    public static void main(String[] args) throws Exception {
        Feed f = () -> System.out.println("pump");
        new Thread(new Pump(f)).start();
        new Thread(new Second(f)).start();
        new Asked(f).call();
        new Thread(new Writer(f)).start();
        new Counter(f).start();
        Shared shared = new Shared(f);
        new Thread(shared).start();
        shared.pump();
        new Threads().lambda(f, java.util.concurrent.Executors.newCachedThreadPool());
        new Threads().noThread(f);
        new Thread(new Listener(f, (text, cause) -> System.err.println(text))).start();
        GoesOn more = new GoesOn(f);
        new Thread(more).start();
        new Thread(more.otherwise()).start();
        new Thread(more.afterwards()).start();
        new Thread(more.again()).start();
    }
}
