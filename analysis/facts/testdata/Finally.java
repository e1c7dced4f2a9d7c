package p;

import java.io.Closeable;
import java.io.IOException;

/** Handlers and throws that compilers add. Lines are where the compilers put them. */
class Finally {
    void plain() throws IOException {
        try {
            work();
        } finally {
            done();
        } //@ sources("caught any")
    }

    int abrupt() {
        try {
            work();
        } catch (IOException e) {
            return 1;
        } finally {
            return 2;
        }
    }

    void locked(Object lock) throws IOException {
        synchronized (lock) { //@ sources[ecj]("caught any")
            work();
        } //@ sources[javac]("caught any")
    }

    void resource(Closeable r) throws IOException {
        try (Closeable c = r) { //@ sources[javac]("caught java/lang/Throwable") causes[javac]("java/lang/Throwable")
            work();
        } //@ sources[ecj]("caught any") causes[ecj]("any")
    }

    void resourceCaught(Closeable r) {
        try (Closeable c = r) { //@ sources[javac]("caught java/lang/Throwable") causes[javac]("java/lang/Throwable")
            work();
        } catch (IOException e) { //@ sources[ecj]("caught any") causes[ecj]("any")
            done();
        }
    }

    void twoResources(Closeable r, Closeable s) throws IOException {
        try (Closeable c = r; Closeable d = s) { //@ sources[javac]("caught java/lang/Throwable") causes[javac]("java/lang/Throwable")
            work();
        } finally { //@ sources[ecj]("caught any") causes[ecj]("any")
            done();
        } //@ sources("caught any")
    }

    void nested() throws IOException {
        try {
            try {
                work();
            } catch (IOException e) {
                throw new IllegalStateException(e); //@ sources("new java/lang/IllegalStateException") causes("java/io/IOException")
            } finally {
                done();
            } //@ sources("caught any")
        } catch (RuntimeException e) {
            throw new IOException(e); //@ sources("new java/io/IOException") causes("java/lang/RuntimeException")
        }
    }

    void work() throws IOException {}

    void done() {}
}
