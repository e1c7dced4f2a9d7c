package chains;

/** Constructors in contexts: each starts what it is given. */
public class Starter {
    interface Started {
        void go();
    }

    static class First implements Started {
        public void go() { }
    }

    static class Second implements Started {
        public void go() { }
    }

    static class Third implements Started {
        public void go() { }
    }

    final Started kept;

    Starter(Started s) {
        kept = s;
        s.go();
    }

    public static void first() {
        new Starter(new First());
    }

    public static void second() {
        new Starter(new Second());
    }

    public static Started never() {
        return new Third();
    }
}
