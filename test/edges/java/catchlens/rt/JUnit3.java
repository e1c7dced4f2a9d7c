package catchlens.rt;

import java.util.List;
import junit.framework.TestCase;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** Runs tests with JUnit 3: test cases, and not the suites of classes with a method suite. */
final class JUnit3 {
    private JUnit3() {}

    static long run(List<String> tests) throws ClassNotFoundException {
        TestResult result = new TestResult();
        for (String t : tests) {
            Class<?> c = Class.forName(t);
            if (TestCase.class.isAssignableFrom(c)) {
                new TestSuite(c.asSubclass(TestCase.class)).run(result);
            }
        }
        return result.runCount();
    }
}
