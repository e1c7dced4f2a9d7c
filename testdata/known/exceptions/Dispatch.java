package exceptions;

/** Which throw arrives depends on the receiver; RTA leaves out classes of which there is no object. */
public class Dispatch {
    static class Failure extends Exception {
    }

    static int count;

    abstract static class Base {
        abstract void act() throws Failure;

        void inherited() throws Failure {
            throw new Failure(); //@ site("inherited")
        }
    }

    static class Used extends Base {
        @Override
        void act() throws Failure {
            throw new Failure(); //@ site("used")
        }
    }

    static class Unused extends Base {
        @Override
        void act() throws Failure {
            throw new Failure(); //@ site("unused")
        }
    }

    static class Silent extends Used {
        @Override
        void act() {
            count++;
        }

        void parent() throws Failure {
            super.act();
        }
    }

    interface Greeter {
        default void greet() throws Failure {
            throw new Failure(); //@ site("default")
        }
    }

    static class Polite implements Greeter {
    }

    static class Loud implements Greeter {
        @Override
        public void greet() throws Failure {
            Greeter.super.greet();
        }
    }

    static class Mute implements Greeter {
        @Override
        public void greet() {
            count++;
        }
    }

    interface Handler<T> {
        void handle(T t) throws Failure;
    }

    static class TextHandler implements Handler<String> {
        @Override
        public void handle(String s) throws Failure {
            throw new Failure(); //@ site("bridge")
        }
    }

    static void virtual(Base b) {
        try {
            b.act();
        } catch (Failure e) { //@ links[cha]("used", "unused") links[rta]("used")
            count++;
        }
        try {
            b.inherited();
        } catch (Failure e) { //@ links("inherited")
            count++;
        }
    }

    static void exact() {
        try {
            new Silent().parent();
        } catch (Failure e) { //@ links("used")
            count++;
        }
    }

    static void byInterface(Greeter g) {
        try {
            g.greet();
        } catch (Failure e) { //@ links("default")
            count++;
        }
    }

    static void narrower(Mute m) throws Failure {
        try {
            m.greet();
            if (count > 100) {
                new Polite().greet();
            }
        } catch (Failure e) { //@ links("default")
            count++;
        }
    }

    static void bridged(Handler<String> h) {
        try {
            h.handle("");
        } catch (Failure e) { //@ links("bridge")
            count++;
        }
    }

    public static void main(String[] args) throws Failure {
        virtual(new Used());
        virtual(new Silent());
        exact();
        byInterface(new Polite());
        byInterface(new Loud());
        narrower(new Mute());
        bridged(new TextHandler());
    }
}
