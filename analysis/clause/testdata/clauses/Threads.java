package clauses;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;

/** Tries that are all that a thread does. */
public class Threads {
    interface Feed { void pump() throws IOException; }

    static class Pump implements Runnable {
        private final Feed feed;
        Pump(Feed feed) { this.feed = feed; }
        public void run() {
            try {
                feed.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared thread
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
            } catch (IOException e) {   //@ clause("unaffected") prepared
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

    void lambda(Feed f, ExecutorService pool) {
        pool.submit(() -> {
            try {
                f.pump();
            } catch (IOException e) {   //@ clause("unaffected") prepared thread
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
        new Threads().lambda(f, java.util.concurrent.Executors.newCachedThreadPool());
        new Threads().noThread(f);
    }
}
