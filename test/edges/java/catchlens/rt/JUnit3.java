package catchlens.rt;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** Runs tests with JUnit 3: what the static method suite of a class returns, or its test methods. */
final class JUnit3 {
    private JUnit3() {}

    static long run(List<String> tests) throws ReflectiveOperationException {
        TestResult result = new TestResult();
        for (String name : tests) {
            Class<?> c = Class.forName(name);
            boolean suite = Arrays.stream(c.getMethods())
                    .anyMatch(m -> m.getName().equals("suite") && m.getParameterCount() == 0 && Modifier.isStatic(m.getModifiers()));
            if (suite) {
                ((Test) c.getMethod("suite").invoke(null)).run(result);
            } else if (TestCase.class.isAssignableFrom(c)) {
                new TestSuite(c.asSubclass(TestCase.class)).run(result);
            }
        }
        return result.runCount();
    }
}
