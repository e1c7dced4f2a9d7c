package match;

import java.io.*;

/** try with resources: what the compiler adds catches Throwable. */
class Resources {
    static InputStream open() throws IOException {
        throw new FileNotFoundException();
    }

    void plain() throws IOException {
        try (InputStream in = open()) {
            in.read();
        }
    }

    int catching() {
        try (InputStream in = open()) {
            return in.read();
        } catch (IOException e) { //@ handlers(1)
            return -1;
        }
    }

    int throwable() {
        try (InputStream in = open(); InputStream more = new ByteArrayInputStream(new byte[1])) {
            in.read();
            try {
                more.read();
            } catch (Throwable t) { //@ handlers(1)
                return -2;
            }
        } catch (Throwable t) { //@ handlers(1)
            return -1;
        } finally {
            Basic.use(1);
        }
        return 0;
    }

    int oneLine() {
        try (InputStream in = open()) { in.read(); } catch (Throwable t) { return -1; } //@ handlers(1)
        try { try (InputStream in = open()) { in.read(); } } catch (Throwable t) { return -1; } //@ handlers(1)
        try (InputStream in = open()) { try { in.read(); } catch (Throwable t) { return -1; } } catch (IOException e) { return -2; } //@ handlers#1(1) handlers#2(1)
        return 0;
    }

    int inFinally() {
        try {
            Basic.use(1);
        } finally {
            try (InputStream in = open()) {
                in.read();
            } catch (Throwable t) { //@ handlers(2)
                Basic.use(2);
            }
        }
        return 0;
    }

    void closes() {
        try (Closeable c = () -> {
            try {
                Basic.io();
            } catch (Throwable t) { //@ handlers(1)
                Basic.use(3);
            }
        }) {
            Basic.use(4);
        } catch (Throwable t) { //@ handlers(1)
            Basic.use(5);
        }
    }

    void empty() throws IOException {
        try (InputStream in = open()) {
        }
        try (InputStream in = open()) {
        } catch (IOException e) { //@ handlers(1)
        }
    }

    void nested() {
        try (InputStream in = open()) {
            try (InputStream in2 = open()) {
                in2.read();
            } catch (FileNotFoundException e) { //@ handlers(1)
                Basic.use(1);
            }
        } catch (IOException e) { //@ handlers(1)
            Basic.use(2);
        }
    }
}
