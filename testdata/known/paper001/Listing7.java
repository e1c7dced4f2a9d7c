package paper001;

/**
 * Listing 7: short-circuit testing finds this catch source-independent, although an exception after
 * the first assignment would show that it is not. Pure resilience stays open: no test has the try
 * complete.
 */
public class Listing7 {
    static Integer evaluate() {
        boolean a = true;
        try {
            a = foo();
            a = bar();
            return myMethod();
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") ground("white-usage")
        //@ matrix(pass=1) links("paper001/Listing7.myMethod") experienced("paper001/Listing7.myMethod")
        } catch (Exception e) {
            if (a) {
                return 0;
            } else {
                return -1;
            }
        }
    }

    private static boolean foo() {
        return false;
    }

    private static boolean bar() {
        return true;
    }

    private static Integer myMethod() {
        throw new IllegalStateException("always");
    }
}
