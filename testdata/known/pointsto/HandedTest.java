package pointsto;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.junit.internal.runners.statements.Fail;
import org.junit.runners.model.MultipleFailureException;

/** A library outside the JDK throws exceptions on behalf of the program; JUnit is the one that is there. */
public class HandedTest {
    static class Held extends RuntimeException {
    }

    static class Listed extends RuntimeException {
    }

    /** Never handed to anybody. */
    static class Kept extends RuntimeException {
    }

    /** It keeps the exception in a field. */
    static int ofStatement() throws Throwable {
        try {
            new Fail(new Held()).evaluate();
            return 100;
        } catch (Kept e) { //@ experienced()
            return 100;
        } catch (Held e) { //@ includes("org/junit/internal/runners/statements/Fail.evaluate") experienced("org/junit/internal/runners/statements/Fail.evaluate")
            return 1;
        }
    }

    /** It comes out of a collection, and is thrown past the compiler's check. */
    static int ofList() throws Exception {
        List<Throwable> errors = new ArrayList<>();
        errors.add(new Listed());
        try {
            MultipleFailureException.assertEmpty(errors);
            return 100;
        } catch (Listed e) { //@ includes("org/junit/internal/Throwables.rethrow") experienced("org/junit/internal/Throwables.rethrow")
            return 1;
        }
    }

    @Test
    public void handed() throws Throwable {
        Kept kept = new Kept();
        kept.addSuppressed(new IllegalArgumentException());
        assertEquals(2, ofStatement() + ofList());
    }
}
