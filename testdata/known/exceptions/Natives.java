package exceptions;

/** A native method may throw what it declares. */
public class Natives {
    static class Failure extends Exception {
    }

    static class Other extends Exception {
    }

    static int count;

    static native void declares() throws Failure;

    static native void declaresNothing();

    static void other() throws Other {
        if (count > 100) {
            throw new Other();
        }
    }

    static void wrapper() throws Failure { //@ reachingThrows("exceptions/Natives.declares")
        declares();
    }

    public static void main(String[] args) {
        try {
            wrapper();
            other();
        } catch (Failure e) { //@ links("exceptions/Natives.declares") arrives("exceptions.Natives$Failure")
            count++;
        } catch (Other e) { //@ links("exceptions/Natives.other")
            count++;
        }
        try {
            declaresNothing();
            other();
        } catch (Other e) { //@ links("exceptions/Natives.other")
            count++;
        }
    }
}
