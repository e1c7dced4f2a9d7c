package filedrop;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Repeats what may fail for a moment. */
public class Retry {
    private final int attempts;
    private final Duration pause;

    /** The pause doubles from one attempt to the next. */
    public Retry(int attempts, Duration pause) {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts: " + attempts);
        }
        this.attempts = attempts;
        this.pause = pause;
    }

    public <T> T call(Callable<T> task) throws Exception {
        long millis = pause.toMillis();
        for (int attempt = 1;; attempt++) {
            try {
                return task.call();
            } catch (Exception e) {
                if (attempt == attempts) {
                    throw e;
                }
            }
            rest(millis);
            millis *= 2;
        }
    }

    private static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
