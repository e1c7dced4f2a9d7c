package exceptions;

/** The thrown object comes from elsewhere: the throw site is the throw all the same. */
public class ThrowValues {
    static class Failure extends Exception {
    }

    static class Worse extends Failure {
    }

    static class Other extends Exception {
    }

    static int count;
    static final Failure STATIC = new Failure();
    Failure kept = new Failure();
    final Failure[] several = {new Failure()};

    static Failure made() {
        return new Failure();
    }

    static void fromStatic() throws Failure {
        throw STATIC;
    }

    void fromField() throws Failure {
        throw kept;
    }

    static void fromParameter(Failure f) throws Failure {
        throw f;
    }

    static void fromReturn() throws Failure {
        throw made();
    }

    void fromArray() throws Failure {
        throw several[0];
    }

    static void fromChoice(boolean worse) throws Failure {
        throw worse ? new Worse() : new Failure(); //@ throws("exceptions.ThrowValues$Worse", "exceptions.ThrowValues$Failure")
    }

    static void fromLocal(boolean other) throws Failure, Other {
        Exception e = other ? new Other() : new Failure();
        if (e instanceof Other) {
            throw (Other) e; //@ site("other")
        }
        throw (Failure) e; //@ site("failure")
    }

    public static void main(String[] args) {
        ThrowValues v = new ThrowValues();
        try {
            fromStatic();
        } catch (Failure e) { //@ links("exceptions/ThrowValues.fromStatic")
            count++;
        }
        try {
            v.fromField();
        } catch (Failure e) { //@ links("exceptions/ThrowValues.fromField")
            count++;
        }
        try {
            fromParameter(new Worse());
        } catch (Failure e) { //@ links("exceptions/ThrowValues.fromParameter")
            count++;
        }
        try {
            fromReturn();
        } catch (Failure e) { //@ links("exceptions/ThrowValues.fromReturn")
            count++;
        }
        try {
            v.fromArray();
        } catch (Failure e) { //@ links("exceptions/ThrowValues.fromArray")
            count++;
        }
        try {
            fromChoice(args.length > 0);
        } catch (Worse e) { //@ links("exceptions/ThrowValues.fromChoice") arrives("exceptions.ThrowValues$Worse")
            count++;
        } catch (Failure e) { //@ links("exceptions/ThrowValues.fromChoice") arrives("exceptions.ThrowValues$Failure")
            count++;
        }
        try {
            fromLocal(args.length > 1);
        } catch (Failure e) { //@ includes("failure")
            count++;
        } catch (Other e) { //@ includes("other")
            count++;
        }
    }
}
