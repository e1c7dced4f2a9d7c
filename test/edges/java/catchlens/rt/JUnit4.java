package catchlens.rt;

import java.util.ArrayList;
import java.util.List;

/** Runs tests with JUnit 4. */
final class JUnit4 {
    private JUnit4() {}

    static long run(List<String> tests) throws ClassNotFoundException {
        List<Class<?>> classes = new ArrayList<>();
        for (String t : tests) {
            classes.add(Class.forName(t));
        }
        return new org.junit.runner.JUnitCore().run(classes.toArray(new Class<?>[0])).getRunCount();
    }
}
