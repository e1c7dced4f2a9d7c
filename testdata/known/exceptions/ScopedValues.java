package exceptions;

import java.io.IOException;

//@ release(25)

/** What an operation throws comes out of the method that binds scoped values for it. */
class ScopedValues {
    static final ScopedValue<String> NAME = ScopedValue.newInstance();

    static class Broken extends RuntimeException {
    }

    static String failing() throws IOException {
        throw new IOException(NAME.get()); //@ site("failing")
    }

    static void checked() {
        try {
            ScopedValue.where(NAME, "a").call(() -> failing());
        } catch (IOException e) { //@ links("failing")
            System.out.println(e);
        }
    }

    static void unchecked() {
        try {
            ScopedValue.where(NAME, "a").run(() -> {
                throw new Broken(); //@ site("broken")
            });
        } catch (Broken e) { //@ includes("broken") excludes("jdk/internal/misc/Unsafe.throwException")
            System.out.println(e);
        }
    }

    public static void main(String[] args) {
        checked();
        unchecked();
    }
}
