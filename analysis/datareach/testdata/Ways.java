package ways;

import java.io.IOException;
import java.util.function.Supplier;

/**
 * One try for each way by which an object comes to the call that fails. Each
 * expectation names the classes whose work() may throw into the method's catch;
 * all of the three are at hand somewhere in the program.
 */
final class Ways {
    interface Source {
        void work() throws IOException;
    }

    interface Thrower<T> {
        void run(T t) throws IOException;
    }

    static Source global = new Fails1();
    static Source[] elements = {new Fails0()};
    Source field;

    static void call(Source s) throws IOException {
        s.work();
    }

    static Source same(Source s) {
        return s;
    }

    // expect argument Fails0
    static void argument() {
        try {
            call(new Fails0());
        } catch (IOException e) {
            System.exit(1);
        }
    }

    // Two objects of Ways, each with another source. expect is of the first.
    // expect field Fails0
    static void field() {
        Ways w = new Ways(), other = new Ways();
        w.field = new Fails0();
        other.field = new Fails1();
        try {
            w.callField();
        } catch (IOException e) {
            System.exit(2);
        }
        try {
            other.callField();
        } catch (IOException e) {
            System.exit(3);
        }
    }

    void callField() throws IOException {
        call(field);
    }

    // expect element Fails0
    static void element() {
        try {
            for (Source s : elements) {
                call(s);
            }
        } catch (IOException e) {
            System.exit(4);
        }
    }

    // expect global Fails1
    static void global() {
        try {
            callGlobal();
        } catch (IOException e) {
            System.exit(5);
        }
    }

    static void callGlobal() throws IOException {
        call(same(global));
    }

    // expect made Fails2
    static void made() {
        try {
            makeAndCall();
        } catch (IOException e) {
            System.exit(6);
        }
    }

    static void makeAndCall() throws IOException {
        call(make());
    }

    static Source make() {
        return same(new Fails2());
    }

    // expect returned Fails1
    static void returned() {
        Source s = same(new Fails1());
        try {
            s.work();
        } catch (IOException e) {
            System.exit(7);
        }
    }

    // A lambda gets what it captured, or any that the program passes.
    // expect lambda Fails0
    static void lambda() {
        Source s = new Fails0();
        Thrower<String> t = x -> s.work();
        try {
            t.run("");
        } catch (IOException e) {
            System.exit(8);
        }
    }

    // expect reference Fails1
    static void reference() {
        Source s = new Fails1();
        Source r = s::work;
        try {
            r.work();
        } catch (IOException e) {
            System.exit(9);
        }
    }

    // expect recursive Fails0 Fails2
    static void recursive() {
        try {
            descend(new Fails0(), new Fails2(), 7);
        } catch (IOException e) {
            System.exit(10);
        }
    }

    static void descend(Source a, Source b, int n) throws IOException {
        if (n > 0) {
            descend(b, a, n - 1);
        }
        a.work();
    }

    // expect passedOn Fails2
    static void passedOn() {
        try {
            first(new Fails2(), new Fails0());
        } catch (IOException e) {
            System.exit(11);
        }
    }

    static void first(Source a, Source b) throws IOException {
        second(b, a);
    }

    static void second(Source a, Source b) throws IOException {
        call(same(b));
    }

    // What reflection makes may be any that it is asked for.
    // expect reflective Fails2
    static void reflective() {
        try {
            call((Source) Class.forName("ways.Fails2").getDeclaredConstructor().newInstance());
        } catch (IOException e) {
            System.exit(12);
        } catch (ReflectiveOperationException e) {
            System.exit(13);
        }
    }

    // expect supplied Fails1
    static void supplied() {
        Supplier<Source> s = Fails1::new;
        try {
            call(s.get());
        } catch (IOException e) {
            System.exit(14);
        }
    }

    abstract static class Base implements Source {
        public void work() throws IOException {
            step();
        }

        abstract void step() throws IOException;
    }

    // expect inherited Fails3
    static void inherited() {
        try {
            call(new Fails3());
        } catch (IOException e) {
            System.exit(15);
        }
    }

    // expect cast Fails0
    static void cast() {
        Object o = new Fails0();
        try {
            ((Source) o).work();
        } catch (IOException e) {
            System.exit(16);
        }
    }

    // expect merged Fails0 Fails1
    static void merged() {
        Source s = System.nanoTime() > 0 ? new Fails0() : new Fails1();
        try {
            call(s);
        } catch (IOException e) {
            System.exit(17);
        }
    }

    // What another thread throws does not arrive.
    // expect threads none
    static void threads() {
        try {
            new Thread(() -> {
                try {
                    call(new Fails0());
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }).start();
            call(new Source() {
                public void work() throws IOException {
                    if (global == null) {
                        global.hashCode();
                    }
                }
            });
        } catch (IOException e) {
            System.exit(18);
        }
    }

    // expect captured Fails2
    static void captured() {
        Source s = new Fails2();
        class Local implements Source {
            public void work() throws IOException {
                s.work();
            }
        }
        try {
            call(new Local());
        } catch (IOException e) {
            System.exit(19);
        }
    }

    public static void main(String[] args) {
        argument();
        field();
        element();
        global();
        made();
        returned();
        lambda();
        reference();
        recursive();
        passedOn();
        reflective();
        supplied();
        inherited();
        cast();
        merged();
        threads();
        captured();
    }
}

final class Fails0 implements Ways.Source {
    public void work() throws IOException {
        throw new IOException("0");
    }
}

final class Fails1 implements Ways.Source {
    public void work() throws IOException {
        throw new IOException("1");
    }
}

final class Fails2 implements Ways.Source {
    public void work() throws IOException {
        throw new IOException("2");
    }
}

final class Fails3 extends Ways.Base {
    void step() throws IOException {
        throw new IOException("3");
    }
}
