package exceptions;

/** A checked exception leaves a method that does not declare it, by an unchecked cast. */
public class GenericThrow {
    static class Hidden extends Exception {
    }

    static class Shown extends Exception {
    }

    static int count;

    @SuppressWarnings("unchecked")
    static <T extends Throwable> void sneak(Throwable t) throws T {
        throw (T) t; //@ site("sneak")
    }

    static void undeclared() {
        GenericThrow.<RuntimeException>sneak(new Hidden());
    }

    static void show() throws Shown {
        throw new Shown(); //@ site("show")
    }

    public static void main(String[] args) {
        try {
            undeclared();
            show();
        } catch (Shown e) { //@ includes("show")
            count++;
        } catch (Exception e) { //@ includes("sneak") excludes("show")
            count++;
        }
    }
}
