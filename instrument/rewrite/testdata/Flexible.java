/** Code before super() (Java 25): frames with an uninitialised this. */
public class Flexible {
    /** With the line where an exception was made: rewriting must not change it. */
    static void say(Object o) {
        System.out.println(o instanceof Throwable ? o + " of line " + ((Throwable) o).getStackTrace()[0].getLineNumber() : o);
    }

    static int may(int k) {
        if (k < 0) throw new IllegalArgumentException("k" + k); //# thrown 3
        return k;
    }

    static class Base {
        final int base;

        Base(int k) {
            base = k;
        }
    }

    static class Derived extends Base {
        final String name;

        Derived(int k) {
            int checked;
            try {
                checked = may(k); //# try 3 out 0
            } catch (IllegalArgumentException e) { //# caught 2
                checked = 7;
                try {
                    if (k == -2) may(k); //# try 2 out 1
                } catch (IllegalStateException f) { //# caught 0
                    checked = 8;
                }
            }
            name = "d" + checked;
            super(checked);
            try {
                say(name + base); //# try 2 out 0
            } catch (IllegalArgumentException e) { //# caught 0
                say(e);
            }
        }
    }

    public static void main(String[] args) {
        new Derived(1);
        new Derived(-1);
        try {
            new Derived(-2); //# try 1 out 0
        } catch (IllegalArgumentException e) { //# caught 1
            say(e);
        }
    }
}
