package exceptions;

/** try-with-resources: what opening, the body and closing throw; what is suppressed does not arrive. */
public class Resources {
    static class Opening extends Exception {
    }

    static class Using extends Exception {
    }

    static class Closing extends Exception {
    }

    static int count;

    static class Resource implements AutoCloseable {
        Resource() throws Opening {
            if (count == 1) {
                throw new Opening(); //@ site("open")
            }
        }

        void use() throws Using {
            if (count == 2) {
                throw new Using(); //@ site("use")
            }
        }

        @Override
        public void close() throws Closing {
            if (count == 3) {
                throw new Closing(); //@ site("close")
            }
        }
    }

    static class Quiet implements AutoCloseable {
        @Override
        public void close() {
            count++;
        }
    }

    static void all() {
        try (Resource r = new Resource()) { //@ synthetic("resource")
            r.use();
        } catch (Opening e) { //@ links("open") handlers(1)
            count++;
        } catch (Using e) { //@ links("use") handlers(1)
            count++;
        } catch (Closing e) { //@ links("close") handlers(1)
            count++;
        }
    }

    static void passing() throws Opening, Using, Closing {
        try (Resource r = new Resource(); Resource s = new Resource()) {
            r.use();
            s.use();
        }
    }

    static void quiet() {
        try (Quiet q = new Quiet()) {
            count++;
        }
    }

    static void quietAround() {
        try (Quiet q = new Quiet(); Resource r = new Resource()) {
            r.use();
        } catch (Opening | Closing e) { //@ links("open", "close")
            count++;
        } catch (Using e) { //@ links("use")
            count++;
        } finally { //@ synthetic("finally")
            count--;
        }
    }

    /** The body always throws: what close throws besides is suppressed, and the body's exception arrives. */
    static void alwaysThrows() throws Opening {
        try (Resource r = new Resource()) {
            throw new Using(); //@ site("body")
        } catch (Using e) { //@ links("body")
            count++;
        } catch (Closing e) { //@ nolinks[javac]
            count++;
        }
    }

    static void catchInside() throws Opening, Closing {
        try (Resource r = new Resource()) {
            try {
                r.use();
            } catch (Using e) { //@ links("use")
                count++;
            }
        }
    }

    static void nullResource() throws Closing {
        try (Resource r = null) {
            count++;
        }
    }

    public static void main(String[] args) throws Exception {
        all();
        try {
            passing();
            quiet();
        } catch (Opening e) { //@ links("open")
            count++;
        } catch (Using e) { //@ links("use")
            count++;
        } catch (Closing e) { //@ links("close")
            count++;
        }
        quietAround();
        alwaysThrows();
        catchInside();
        nullResource();
    }
}
