import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;

/** Tests, one for each argument, that come to different parts of a method. Without an argument two of them are one. */
public class Apart {
    static final CountDownLatch STARTED = new CountDownLatch(1);
    static final SynchronousQueue<String> ASKED = new SynchronousQueue<>();
    static Thread thread;
    static int last;

    static int joined(String s) {
        int n;
        if (s != null) {
            n = Integer.parseInt(s); // control goes on from here in no test
        } else {
            n = 0;
        }
        return n;
    }

    static void leave() {
        try {
            joined("x");
        } catch (NumberFormatException e) {
            return;
        }
        last = 1;
    }

    static void serve(boolean asked) {
        String s = "";
        try {
            if (asked) {
                STARTED.countDown(); s = ASKED.take(); // one test begins it, another one goes on
            }
            last = s.length();
        } catch (InterruptedException e) {
            return;
        }
    }

    static void begin() throws InterruptedException {
        thread = new Thread(() -> serve(true));
        thread.setDaemon(true);
        thread.start();
        STARTED.await();
    }

    static void repeat(boolean asked) {
        String s = "";
        try {
            if (asked) {
                STARTED.countDown(); s = ASKED.take(); // one test begins it, another one comes to the loop alone
            }
            while (s.length() < 3) {
                s += "x";
            }
            last = s.length();
        } catch (InterruptedException e) {
            return;
        }
    }

    static void beginLoop() throws InterruptedException {
        thread = new Thread(() -> repeat(true));
        thread.setDaemon(true);
        thread.start();
        STARTED.await();
    }

    static void finish() throws InterruptedException {
        ASKED.put("x");
        thread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        String test = args.length == 0 ? "both" : args[0];
        switch (test) {
            case "both": leave(); joined(null); break;
            case "leave": leave(); break;
            case "pass": joined(null); break;
            case "begin": begin(); break;
            case "loop": beginLoop(); break;
            default: finish();
        }
    }
}
