package steering;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Catches that are for an interrupt or a cancellation, and others that look like them. */
class Steering {
    static class CanceledException extends RuntimeException {}
    static class Stop extends InterruptedException {}
    static class NotCancelledYet extends Exception {}

    BlockingQueue<String> queue;
    Thread worker;

    String restores() {
        try {
            return queue.take();
        } catch (InterruptedException e) { //@ never InterruptedException
            Thread.currentThread().interrupt();
            return null;
        }
    }

    void sleeps() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException ignored) { //@ never InterruptedException
        }
    }

    void own() {
        try {
            stop();
        } catch (Stop e) { //@ never Stop
        }
    }

    void stop() throws Stop { throw new Stop(); }

    void cancelled(Future<String> f) throws ExecutionException, InterruptedException {
        try {
            f.get();
        } catch (CancellationException e) { //@ never CancellationException
        }
    }

    void ownCancelled() {
        try {
            check();
        } catch (CanceledException e) { //@ never CanceledException
        }
    }

    void check() { throw new CanceledException(); }

    void channels() throws IOException {
        try {
            read();
        } catch (ClosedByInterruptException e) { //@ never ClosedByInterruptException
        } catch (SocketTimeoutException e) { //@ to java.lang.Exception
        } catch (InterruptedIOException e) { //@ never InterruptedIOException
        }
    }

    void read() throws IOException { throw new IOException(); }

    void wrapped() {
        try {
            read();
        } catch (IOException e) { //@ never interrupts a thread again
            if (e.getCause() instanceof InterruptedException) Thread.currentThread().interrupt();
        }
    }

    void byHelper() {
        try {
            read();
        } catch (IOException e) { //@ never interrupts a thread again (Steering.keep)
            keep(e);
        }
    }

    void keep(Exception e) { new Keeper().deeper(); }

    void byOther() {
        try {
            read();
        } catch (IOException e) { //@ to java.lang.Exception
            another();
        }
    }

    void another() { sleeps(); restores(); }

    interface Keeps { void deeper(); }

    static class Keeper implements Keeps { public void deeper() { Thread.currentThread().interrupt(); } }

    void byInterface(Keeps keeps) {
        try {
            read();
        } catch (IOException e) { //@ never interrupts a thread again (Keeps.deeper)
            keeps.deeper();
        }
    }

    void passesOn() throws InterruptedException {
        try {
            read();
            queue.put("x");
        } catch (IOException e) { //@ never may leave the try
        }
    }

    void siblingTakesIt() {
        try {
            read();
            queue.put("x");
        } catch (InterruptedException e) { //@ never InterruptedException
        } catch (IOException e) { //@ to java.lang.Exception
        }
    }

    void logs() {
        try {
            read();
        } catch (IOException e) { //@ to java.lang.Exception
            System.out.println(e + " in " + Thread.currentThread());
        }
    }

    void named() {
        try {
            no();
        } catch (NotCancelledYet e) { //@ to java.lang.Exception
            worker = null;
        }
    }

    void no() throws NotCancelledYet { throw new NotCancelledYet(); }

    void timesOut() throws IOException {
        try {
            read();
        } catch (SocketTimeoutException e) { //@ to java.lang.Exception
        }
    }
}
