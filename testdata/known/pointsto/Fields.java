package pointsto;

import java.util.Objects;

/** Static and instance fields, and exceptions that are kept in them. */
public class Fields {
    static class First implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("first"); //@ site("first")
        }
    }

    static class Second implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("second"); //@ site("second")
        }
    }

    static Thrower first = new First();
    static Thrower second = new Second();
    Thrower mine;

    static class Box {
        private final Thrower content;

        Box(Thrower content) {
            this.content = content;
        }

        void open() throws Failure {
            content.act();
        }
    }

    static class Labelled extends Box {
        Labelled(Thrower content) {
            super(content);
        }
    }

    static int separate() {
        int caught = 0;
        try {
            first.act();
        } catch (Failure e) { //@ includes("first") excludes[pta+]("second") experienced("first")
            caught++;
        }
        Fields a = new Fields();
        Fields b = new Fields();
        a.mine = new First();
        b.mine = new Second();
        try {
            b.mine.act();
        } catch (Failure e) { //@ includes("second") excludes[pta+]("first") experienced("second")
            caught++;
        }
        second = a.mine;
        try {
            second.act();
        } catch (Failure e) { //@ includes("first", "second") experienced("first")
            caught++;
        }
        return caught;
    }

    /** A constructor that stores its argument mixes the arguments of all callers, unless each call is told apart. */
    static int stored() {
        int caught = 0;
        Box a = new Box(new First());
        Box b = new Labelled(new Second());
        try {
            a.content.act();
        } catch (Failure e) { //@ includes("first") excludes[inpta+]("second") experienced("first")
            caught++;
        }
        try {
            b.content.act();
        } catch (Failure e) { //@ includes("second") excludes[inpta+]("first") experienced("second")
            caught++;
        }
        try {
            a.open();
        } catch (Failure e) { //@ includes("first") excludes[inpta-dr+]("second") experienced("first")
            caught++;
        }
        return caught;
    }

    private Failure kept;
    private static final Failure READY = new Failure("ready");

    void keep() {
        try {
            if (kept == null) {
                throw new Failure("early"); //@ site("early")
            }
        } catch (Failure e) { //@ links("early") experienced("early")
            kept = e;
        }
    }

    void later() throws Failure {
        throw kept; //@ site("later")
    }

    static Failure make() {
        return new Failure("made");
    }

    static void made() throws Failure {
        throw make(); //@ site("made")
    }

    static void ready() throws Failure {
        throw READY; //@ site("ready")
    }

    /** The throw site is where the throw stands, wherever its object was made or caught before. */
    static int thrownLater() {
        int caught = 0;
        Fields f = new Fields();
        f.keep();
        try {
            f.later();
        } catch (Failure e) { //@ links("later") experienced("later")
            caught++;
        }
        try {
            made();
        } catch (Failure e) { //@ links("made") experienced("made")
            caught++;
        }
        try {
            ready();
        } catch (Failure e) { //@ links("ready") experienced("ready")
            caught++;
        }
        return caught;
    }

    static class Sent implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("sent"); //@ site("sent")
        }
    }

    static class Checked implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("checked"); //@ site("checked")
        }
    }

    /** A check gives back what it was given, not what others give it. */
    static int same() {
        Thrower sent = Objects.requireNonNull(new Sent(), "sent");
        Objects.requireNonNull(new Checked(), "checked");
        try {
            sent.act();
        } catch (Failure e) { //@ includes("sent") excludes[pta+]("checked") experienced("sent")
            return 1;
        }
        return 0;
    }

    public static int run() {
        return separate() + stored() + thrownLater() + same();
    }
}
