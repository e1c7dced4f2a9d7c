package exceptions;

import java.io.IOException;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** No stream of the program is parallel: what its code throws is not caught in a task and thrown where that is joined. */
public class SequentialStreams {
    static class Refused extends RuntimeException {
    }

    static int refuse(int k) {
        if (k == 3) {
            throw new Refused(); //@ site("refuse")
        }
        return k;
    }

    static int sum(int n) throws IOException {
        if (n == 7) {
            throw new IOException("seven"); //@ site("sum")
        }
        return StreamSupport.intStream(IntStream.range(0, n).spliterator(), false).map(SequentialStreams::refuse).sum();
    }

    static int sums(int n) {
        try {
            return sum(n);
        } catch (Refused e) { //@ links("refuse")
            return -1;
        } catch (IOException e) { //@ links("sum")
            return -2;
        }
    }

    public static void main(String[] args) {
        sums(args.length);
    }
}
