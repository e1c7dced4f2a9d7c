package shapes;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Catches to be stretched to Exception in the source, or what is said why not. */
class Shapes {
    static void io() throws IOException {
        throw new FileNotFoundException();
    }

    static int plain() {
        try {
            io();
            return 0;
        } catch (IOException e) { //@ takes catch (Exception e) {
            return 1;
        }
    }

    static String message() {
        try {
            io();
            return "";
        } catch (final IOException e) { //@ takes catch (final Exception e) {
            return e.getMessage() + e;
        }
    }

    static int alternatives() {
        try {
            io();
            Thread.sleep(1);
            return 0;
        } catch (FileNotFoundException | InterruptedException e) { //@ refused nor behind catch (IOException)
            return e.hashCode();
        } catch (IOException e) { //@ takes catch (Exception e) {
            return 1;
        }
    }

    static int several() {
        try {
            io();
            Thread.sleep(1);
            return 0;
        } catch (IOException | InterruptedException e) { //@ takes catch (Exception e) {
            return e.hashCode();
        }
    }

    static int moves() {
        try {
            io();
            return 0;
        } catch (FileNotFoundException e) { //@ refused cannot take Exception where it stands, nor behind catch (IOException), which would take its FileNotFoundException
            return 1;
        } /* between */ catch (IOException e) { //@ takes catch (Exception e) {
            return 2;
        }
    }

    static int unrelated() {
        try {
            io();
            return 0;
        } catch (IOException e) { //@ takes catch (Exception e) {
            return 1;
        } catch (IllegalStateException | IllegalArgumentException e) { //@ takes catch (Exception e) {
            return 2;
        } catch (Error e) {
            return 3;
        } finally {
            plain();
        }
    }

    static int precise() throws IOException {
        try {
            io();
            return 0;
        } catch (IOException e) { //@ takes catch (Exception e) {
            plain();
            throw e;
        }
    }

    static int imprecise() throws IOException {
        try {
            io();
            return 0;
        } catch (IOException e) { //@ refused unreported exception
            e = new IOException(e);
            throw e;
        }
    }

    static int enclosed() {
        try {
            try {
                io();
                return 0;
            } catch (FileNotFoundException e) { //@ refused never thrown in body
                return 1;
            }
        } catch (IOException e) { //@ takes catch (Exception e) {
            return 2;
        }
    }

    static IOException given() {
        try {
            io();
            return null;
        } catch (IOException e) { //@ refused incompatible types
            return e;
        }
    }

    static Optional<IOException> generic() {
        try {
            io();
            return Optional.empty();
        } catch (IOException e) { //@ refused incompatible types
            return Optional.of(e);
        }
    }

    static int collected(List<Exception> all) {
        try {
            io();
        } catch (IOException e) { //@ takes catch (Exception e) {
            all.add(e);
        }
        return all.size();
    }

    static Callable<String> captured() {
        try {
            io();
            return null;
        } catch (IOException e) { //@ takes catch (Exception e) {
            return () -> e.getMessage();
        }
    }
}

class Shadow {
    static class Exception extends java.lang.Exception {}

    static int shadowed() {
        try {
            Shapes.io();
            return 0;
        } catch (IOException e) { //@ takes catch (java.lang.Exception e) {
            return 1;
        }
    }
}

class InLambda {
    static final Callable<Integer> CALL = () -> {
        try {
            Shapes.io();
            return 0;
        } catch (IOException e) { //@ takes catch (Exception e) {
            return 1;
        }
    };
}
