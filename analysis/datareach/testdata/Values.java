package values;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * One try for each way by which a constant decides whether a call is made. Each
 * expectation names the classes whose fail() may throw into the method's catch.
 */
final class Values {
    // As sun.nio.ch.IOUtil chooses between read and pread.
    static void read(String name, long position) throws IOException {
        if (position != -1) {
            Fails0.fail();
        } else {
            Fails1.fail();
        }
    }

    // expect position Fails1
    static void position() {
        try {
            read("a", -1);
        } catch (IOException e) {
            System.err.println(1);
        }
    }

    // expect positioned Fails0
    static void positioned() {
        try {
            read("a", 7L);
        } catch (IOException e) {
            System.err.println(2);
        }
    }

    // Nothing is known of the value.
    // expect unknown Fails0 Fails1
    static void unknown(String[] args) {
        try {
            read("a", args.length);
        } catch (IOException e) {
            System.err.println(3);
        }
    }

    static void through(String name, long position) throws IOException {
        read(name, position);
    }

    // expect passed Fails1
    static void passed() {
        try {
            through("a", -1);
        } catch (IOException e) {
            System.err.println(4);
        }
    }

    static void option(int which, Object value) throws IOException {
        switch (which) {
            case 3:
                Fails0.fail();
                break;
            case 0x1006:
                if (value == null) {
                    Fails1.fail();
                }
                break;
            case 4:
            case 5:
                Fails2.fail();
                break;
            default:
                Fails3.fail();
        }
    }

    // expect selected Fails2
    static void selected() {
        try {
            option(5, null);
        } catch (IOException e) {
            System.err.println(5);
        }
    }

    // expect absent Fails1
    static void absent() {
        try {
            option(0x1006, null);
        } catch (IOException e) {
            System.err.println(6);
        }
    }

    // Not null is no constant: it may be either.
    // expect given Fails1
    static void given() {
        try {
            option(0x1006, "x");
        } catch (IOException e) {
            System.err.println(7);
        }
    }

    // expect otherwise Fails3
    static void otherwise() {
        try {
            option(-5, null);
        } catch (IOException e) {
            System.err.println(8);
        }
    }

    // A parameter that gets another value.
    static void changed(int n) throws IOException {
        if (n == 0) {
            n = 1;
        }
        if (n == 1) {
            Fails0.fail();
        }
        for (int i = 0; i < 2; i++) {
            if (n == 2) {
                Fails1.fail();
            }
            n++;
        }
    }

    // expect assigned Fails0 Fails1
    static void assigned() {
        try {
            changed(0);
        } catch (IOException e) {
            System.err.println(9);
        }
    }

    static void ordered(int n) throws IOException {
        if (n < 3) {
            Fails0.fail();
        }
        if (4 < n) {
            Fails1.fail();
        }
        if (n >= 2 && n != 3) {
            Fails2.fail();
        }
    }

    // 3 is one of the constants of ordered; 1 is not.
    // expect three none
    static void three() {
        try {
            ordered(3);
        } catch (IOException e) {
            System.err.println(10);
        }
    }

    // expect one Fails0 Fails1 Fails2
    static void one() {
        try {
            ordered(1);
        } catch (IOException e) {
            System.err.println(11);
        }
    }

    // Calls in handlers and behind them.
    static void handled(boolean careful) throws IOException {
        try {
            if (careful) {
                throw new IllegalStateException();
            }
        } catch (IllegalStateException e) {
            Fails0.fail();
        } finally {
            if (!careful) {
                Fails1.fail();
            }
        }
    }

    // What the handler catches is not thrown.
    // expect careless Fails1
    static void careless() {
        try {
            handled(false);
        } catch (IOException e) {
            System.err.println(12);
        }
    }

    // expect careful Fails0
    static void careful() {
        try {
            handled(true);
        } catch (IOException e) {
            System.err.println(13);
        }
    }

    // The same method below one try with several constants.
    // expect several Fails0 Fails1
    static void several() {
        try {
            read("a", -1);
            read("a", 2L);
        } catch (IOException e) {
            System.err.println(14);
        }
    }

    // A parameter that counts down while it is passed on.
    static void down(int n, boolean last) throws IOException {
        if (last) {
            Fails0.fail();
        }
        if (n == 0) {
            Fails1.fail();
        }
        down(n - 1, false);
    }

    // expect recursive Fails1
    static void recursive() {
        try {
            down(3, false);
        } catch (IOException e) {
            System.err.println(15);
        }
    }

    interface Mode {
        void set(boolean on) throws IOException;
    }

    static class Loud implements Mode {
        public void set(boolean on) throws IOException {
            if (on) {
                Fails0.fail();
            } else {
                Fails1.fail();
            }
        }
    }

    // Dispatched calls pass values, too.
    // expect dispatched Fails1
    static void dispatched() {
        Mode m = new Loud();
        try {
            m.set(false);
        } catch (IOException e) {
            System.err.println(16);
        }
    }

    // A lambda's parameters are not those of the method that runs.
    // expect captured Fails0 Fails1
    static void captured() {
        boolean captured = System.nanoTime() != 0;
        Mode m = on -> new Loud().set(captured || on);
        try {
            m.set(false);
        } catch (IOException e) {
            System.err.println(17);
        }
    }

    // Long constants and comparisons the other way round.
    static void large(long n) throws IOException {
        if (0x123456789AL == n) {
            Fails0.fail();
        }
        if (n > 0x123456789BL) {
            Fails1.fail();
        }
    }

    // No number is taken for a field.
    static void least(long n) throws IOException {
        if (n == Long.MAX_VALUE) {
            Fails0.fail();
        }
        if (n == 1L << 40) {
            Fails1.fail();
        }
    }

    // expect largest Fails0
    static void largest() {
        try {
            least(Long.MAX_VALUE);
        } catch (IOException e) {
            System.err.println(27);
        }
    }

    // expect huge Fails0
    static void huge() {
        try {
            large(0x123456789AL);
        } catch (IOException e) {
            System.err.println(18);
        }
    }

    static final class Called {
        private void invoke(int n) throws IOException {
            if (n == 0) {
                Fails0.fail();
            } else {
                Fails1.fail();
            }
        }
    }

    static int one(int n) {
        return 1;
    }

    // A handle passes on what it makes of what it is given, here 1: Fails1 is what happens.
    // expect handle Fails0 Fails1
    static void handle() throws Throwable {
        MethodHandle called = MethodHandles.lookup().findVirtual(Called.class, "invoke", MethodType.methodType(void.class, int.class));
        MethodHandle one = MethodHandles.lookup().findStatic(Values.class, "one", MethodType.methodType(int.class, int.class));
        MethodHandle h = MethodHandles.filterArguments(called.bindTo(new Called()), 0, one);
        try {
            h.invoke(0);
        } catch (IOException e) {
            System.err.println(19);
        }
    }

    static final class Option {
        final String name;

        Option(String name) {
            this.name = name;
        }
    }

    static final Option A = new Option("a"), B = new Option("b"), SAME = A, MAYBE = System.nanoTime() == 0 ? new Option("c") : null;
    static Option free = new Option("d");

    // As jdk.net.ExtendedSocketOptions chooses what to set. Nobody knows what is not null.
    static void choose(String name, Option o, int n) throws IOException {
        if (o == A) {
            Fails0.fail();
        } else if (B != o) {
            Fails2.fail();
        } else {
            Fails1.fail();
        }
    }

    // expect chosen Fails0 Fails2
    static void chosen() {
        try {
            choose("a", A, 1);
        } catch (IOException e) {
            System.err.println(20);
        }
    }

    // expect neither Fails2
    static void neither() {
        try {
            choose("a", new Option("a"), 1);
        } catch (IOException e) {
            System.err.println(21);
        }
    }

    // expect either Fails0 Fails1 Fails2
    static void either(String[] args) {
        Option o = args.length > 0 ? A : B;
        try {
            choose("a", o, 1);
        } catch (IOException e) {
            System.err.println(22);
        }
    }

    // expect nothing Fails2
    static void nothing() {
        try {
            choose("a", null, 1);
        } catch (IOException e) {
            System.err.println(23);
        }
    }

    interface Setter {
        void set(Option o) throws IOException;
    }

    static class Chooser implements Setter {
        public void set(Option o) throws IOException {
            choose("x", o, 2);
        }
    }

    // expect onward Fails1 Fails2
    static void onward() {
        Setter s = new Chooser();
        try {
            s.set(B);
        } catch (IOException e) {
            System.err.println(24);
        }
    }

    static void doubtful(Option o, Option same, Option other) throws IOException {
        if (o == MAYBE) {
            Fails0.fail();
        }
        if (same == A) {
            return;
        } else if (same == SAME) {
            Fails1.fail();
        }
        if (other == free) {
            Fails2.fail();
        }
    }

    // Fields that may be null, that are not final, or have the object of another one decide nothing.
    // expect doubted Fails0 Fails1 Fails2
    static void doubted() {
        try {
            doubtful(null, B, null);
        } catch (IOException e) {
            System.err.println(25);
        }
    }

    enum Level {
        LOW, HIGH
    }

    static void level(Level l) throws IOException {
        if (l == Level.LOW) {
            Fails0.fail();
        }
        if (l == Level.HIGH) {
            Fails1.fail();
        }
    }

    // expect low Fails0
    static void low() {
        try {
            level(Level.LOW);
        } catch (IOException e) {
            System.err.println(26);
        }
    }

    // A throw that control does not reach with what is passed.
    // expect refused none
    static void refused() {
        try {
            Refuses.option(1);
        } catch (IOException e) {
            System.err.println(30);
        }
    }

    // expect accepted Refuses
    static void accepted() {
        try {
            Refuses.option(2);
        } catch (IOException e) {
            System.err.println(31);
        }
    }

    // expect open Refuses
    static void open(int kind) {
        try {
            Refuses.option(kind);
        } catch (IOException e) {
            System.err.println(32);
        }
    }

    // expect handedNull none
    static void handedNull() {
        try {
            Refuses.raise(null);
        } catch (IOException e) {
            System.err.println(33);
        }
    }

    // expect handedOther Refuses
    static void handedOther() {
        try {
            Refuses.raise(new IOException("other"));
        } catch (IOException e) {
            System.err.println(34);
        }
    }

    // What is passed on; the call after the throw is made even so.
    // expect inherited Fails0
    static void inherited() {
        try {
            Stricts.later(false);
        } catch (IOException e) {
            System.err.println(35);
        }
    }

    // expect strange Fails0 Stricts
    static void strange() {
        try {
            Stricts.later(true);
            Stricts.later(false);
        } catch (IOException e) {
            System.err.println(36);
        }
    }

    public static void main(String[] args) throws Throwable {
        position();
        positioned();
        unknown(args);
        passed();
        selected();
        absent();
        given();
        otherwise();
        assigned();
        three();
        one();
        careless();
        careful();
        several();
        recursive();
        dispatched();
        captured();
        huge();
        handle();
        chosen();
        neither();
        either(args);
        nothing();
        onward();
        doubted();
        low();
        largest();
        refused();
        accepted();
        open(args.length);
        handedNull();
        handedOther();
        inherited();
        strange();
    }
}

final class Refuses {
    static int option(int kind) throws IOException {
        switch (kind) {
            case 1:
                return 0;
            case 2:
                if (Values.class.desiredAssertionStatus()) {
                    throw new IOException("two");
                }
                return 1;
            default:
                throw new IOException("default");
        }
    }

    static void raise(IOException given) throws IOException {
        if (given != null) {
            throw given;
        }
    }
}

final class Stricts {
    static void check(boolean strict) throws IOException {
        if (strict) {
            throw new IOException("strict");
        }
        Fails0.fail();
    }

    static void later(boolean strict) throws IOException {
        check(strict);
    }
}

final class Fails0 {
    static void fail() throws IOException {
        throw new IOException("0");
    }
}

final class Fails1 {
    static void fail() throws IOException {
        throw new IOException("1");
    }
}

final class Fails2 {
    static void fail() throws IOException {
        throw new IOException("2");
    }
}

final class Fails3 {
    static void fail() throws IOException {
        throw new IOException("3");
    }
}
