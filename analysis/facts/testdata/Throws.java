package p;

import java.io.IOException;
import java.util.function.Supplier;

/** What athrow instructions throw, and what it wraps. Every athrow of this file has an expectation. */
class Throws {
    RuntimeException field;
    static final IllegalStateException SHARED = new IllegalStateException("shared");

    void allocated() throws IOException {
        throw new IOException("x"); //@ sources("new java/io/IOException")
    }

    void allocatedBefore(boolean b) {
        RuntimeException e = new IllegalStateException();
        e.setStackTrace(new StackTraceElement[0]);
        if (b) {
            e = new IllegalArgumentException();
        }
        throw e; //@ sources("new java/lang/IllegalStateException", "new java/lang/IllegalArgumentException")
    }

    void conditional(int n) {
        throw n > 0 ? new IllegalStateException() : n < 0 ? field : null; //@ sources("new java/lang/IllegalStateException", "typed java/lang/RuntimeException", "null")
    }

    void parameter(IOException e) throws IOException {
        throw e; //@ sources("typed java/io/IOException")
    }

    void fieldLoad() {
        throw field; //@ sources("typed java/lang/RuntimeException")
    }

    void staticField() {
        throw SHARED; //@ sources("typed java/lang/IllegalStateException")
    }

    void arrayElement(RuntimeException[] all) {
        throw all[0]; //@ sources("typed java/lang/RuntimeException")
    }

    void result(Supplier<? extends RuntimeException> s) {
        throw s.get(); //@ sources("call get java/lang/RuntimeException")
    }

    void nothing() {
        throw null; //@ sources("null")
    }

    void rethrow() throws Exception {
        try {
            run();
        } catch (RuntimeException e) {
            throw e; //@ sources("caught java/lang/RuntimeException")
        }
    }

    void rethrowOneOfTwo() throws Exception {
        try {
            run();
        } catch (IllegalStateException | IOException e) {
            throw e; //@ sources("caught java/lang/IllegalStateException|java/io/IOException")
        }
    }

    void narrowed() throws IOException {
        try {
            run();
        } catch (Throwable t) {
            if (t instanceof IOException) {
                throw (IOException) t; //@ sources("caught java/lang/Throwable as java/io/IOException")
            }
        }
    }

    void unwrapped() throws IOException {
        try {
            run();
        } catch (Exception e) {
            throw (IOException) e.getCause(); //@ sources("call getCause java/io/IOException")
        }
    }

    void wraps() {
        try {
            run();
        } catch (IOException e) {
            throw new IllegalStateException("wrapped", e); //@ sources("new java/lang/IllegalStateException") causes("java/io/IOException")
        } catch (Exception e) {
            throw new IllegalStateException("lost " + e.getMessage()); //@ sources("new java/lang/IllegalStateException") indy[release17]("concat") indy[release25]("concat")
        }
    }

    void wrapsTwice() {
        try {
            run();
        } catch (Exception e) {
            throw new RuntimeException(new IllegalStateException(e)); //@ sources("new java/lang/RuntimeException") causes("java/lang/Exception")
        }
    }

    void initCause() {
        try {
            run();
        } catch (Exception e) {
            IllegalStateException x = new IllegalStateException();
            x.initCause(e);
            throw x; //@ sources("new java/lang/IllegalStateException") causes("java/lang/Exception")
        }
    }

    void initCauseInLine() throws IOException {
        try {
            run();
        } catch (Exception e) {
            throw (IOException) new IOException("m").initCause(e); //@ sources("new java/io/IOException") causes("java/lang/Exception")
        }
    }

    void filledIn() throws Throwable {
        try {
            run();
        } catch (Exception e) {
            throw e.fillInStackTrace(); //@ sources("caught java/lang/Exception")
        }
    }

    static RuntimeException wrap(String message, Throwable t) {
        return new RuntimeException(message, t);
    }

    void factory() {
        try {
            run();
        } catch (IOException e) {
            throw wrap("io", e); //@ sources("call wrap java/lang/RuntimeException") causes("java/io/IOException")
        } catch (Exception e) {
            throw wrap(String.valueOf(e), null); //@ sources("call wrap java/lang/RuntimeException")
        }
    }

    void suppressed() throws IOException {
        IOException first = new IOException();
        try {
            run();
        } catch (Exception e) {
            first.addSuppressed(e);
        }
        throw first; //@ sources("new java/io/IOException") causes("java/lang/Exception")
    }

    void saved() throws Exception {
        Exception saved = null;
        try {
            run();
        } catch (IOException e) {
            saved = e;
        } catch (RuntimeException e) {
            saved = e;
        }
        cleanUp();
        if (saved != null) {
            throw saved; //@ sources("caught java/io/IOException", "caught java/lang/RuntimeException")
        }
    }

    void savedUnguarded() throws Exception {
        Exception saved = null;
        try {
            run();
        } catch (IOException e) {
            saved = e;
        }
        throw saved; //@ sources("caught java/io/IOException", "null")
    }

    void lastOfLoop(int times) throws Exception {
        Exception last = null;
        for (int i = 0; i < times; i++) {
            try {
                run();
                return;
            } catch (IOException e) {
                last = e;
            }
        }
        if (last == null) {
            throw new IllegalArgumentException(); //@ sources("new java/lang/IllegalArgumentException")
        }
        throw last; //@ sources("caught java/io/IOException")
    }

    void collected() throws Exception {
        Exception all = null;
        try {
            run();
        } catch (Exception e) {
            all = e;
        }
        try {
            cleanUp();
        } catch (RuntimeException e) {
            if (all == null) {
                all = e;
            } else {
                all.addSuppressed(e);
            }
        }
        if (all != null) {
            throw all; //@ sources("caught java/lang/Exception", "caught java/lang/RuntimeException") causes("java/lang/RuntimeException")
        }
    }

    void sneaky(Throwable t) {
        throw Throws.<RuntimeException>cast(t); //@ sources("call cast java/lang/RuntimeException")
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> T cast(Throwable t) {
        return (T) t;
    }

    void assertion(int n) {
        assert n > 0 : "n"; //@ sources("new java/lang/AssertionError")
    }

    void lambda() {
        Runnable r = () -> { //@ indy("lambda java/lang/Runnable.run()V = static p/Throws.lambda")
            throw new IllegalStateException(); //@ sources("new java/lang/IllegalStateException")
        };
        r.run();
    }

    void deadCode() throws Exception {
        while (true) {
            run();
        }
    }

    void run() throws Exception {}

    void cleanUp() {}
}
