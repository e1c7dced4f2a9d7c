package paper001;

/**
 * Listing 4: a try with two catches is two try-catches. Each is injected with its own type, and an
 * exception that the sibling catches is a blue usage.
 */
public class Listing4 {
    static class Type01Exception extends Exception {
    }

    static class Type02Exception extends Exception {
    }

    static String handle(int request) {
        try {
            return body(request);
        //@ links("one") arrives("paper001.Listing4$Type01Exception") experienced("one")
        //@ usages(pink=1, white=1, blue=1) verdict("source-independent", "not-resilient") ground("white-usage")
        //@ matrix(pass=1, fail=2) witness("paper001.Listing4Test#normal", "paper001.Listing4Test#second")
        } catch (Type01Exception t1e) {
            return "first";
        //@ links("two") arrives("paper001.Listing4$Type02Exception") experienced("two")
        //@ usages(pink=1, white=1, blue=1) verdict("source-independent", "not-resilient") ground("white-usage")
        //@ matrix(pass=1, fail=2) witness("paper001.Listing4Test#normal", "paper001.Listing4Test#first")
        } catch (Type02Exception t2e) {
            return "second";
        }
    }

    private static String body(int request) throws Type01Exception, Type02Exception {
        if (request == 1) {
            throw new Type01Exception(); //@ site("one")
        }
        if (request == 2) {
            throw new Type02Exception(); //@ site("two")
        }
        return "normal";
    }
}
