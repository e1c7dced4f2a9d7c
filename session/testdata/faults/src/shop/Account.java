package shop;

/** Throws whose guards no fault makes true, for TestForcedThrows. */
public class Account {
    static class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String why) {
            super(why);
        }
    }

    private int balance;

    public Account(int balance) {
        this.balance = balance;
    }

    private void withdraw(int amount) throws Refused {
        if (amount > balance) {
            throw new Refused("balance " + balance); // forced: the code makes its own exception
        }
        balance -= amount;
    }

    private static void check(Object o) throws Refused {
        if (o == null) {
            throw new Refused("nothing");
        }
    }

    private static String kind(int code) throws Refused {
        switch (code) {
            case 1:
                return "one";
            case 2:
                throw new Refused("two");
            default:
                throw new Refused("other");
        }
    }

    private static void always() throws Refused {
        throw new Refused("always");
    }

    public String pay(int amount) {
        try {
            withdraw(amount);
            return "paid";
        } catch (Refused e) { // forced
            return e.getMessage();
        }
    }

    public String look(Object o, boolean always) {
        try {
            check(o);
            if (always) {
                always();
            }
            return "seen";
        } catch (Refused e) { // forced: nothing, and the guard of always; the throw of always has none
            return e.getMessage();
        }
    }

    public String name(int code) {
        try {
            return kind(code);
        } catch (Refused e) { // forced: two, and other, which nameOther runs below another try
            return e.getMessage();
        }
    }

    public String nameOther(int code) {
        try {
            return kind(code);
        } catch (Refused e) { // experienced: other; forced: two
            return e.getMessage();
        }
    }

    public String coped(int amount) {
        try {
            return pay(amount);
        } catch (IllegalStateException e) { // never
            return "never";
        }
    }
}
