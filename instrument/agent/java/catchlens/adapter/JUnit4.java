package catchlens.adapter;

import catchlens.rt.run.Adapter;
import catchlens.rt.run.Sink;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import junit.extensions.TestDecorator;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.Ignore;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * JUnit 4, and JUnit 3 tests run by it. The id of a test is class#method, behind the class that was
 * asked for and '|' where that is another one (suites). Tests of one description are one test.
 */
public final class JUnit4 extends Adapter {
    @Override
    public void discover(Class<?>[] classes, Sink sink) {
        for (Class<?> c : classes) {
            if (!hasTests(c)) {
                continue;
            }
            Description d = Request.aClass(c).getRunner().getDescription();
            walk(d, c, sink, new LinkedHashSet<String>());
        }
    }

    /**
     * Whether build tools hand the class to JUnit: it names a runner, is of JUnit 3, or has a test method, its own or
     * inherited, even one that JUnit refuses. Maven and Gradle pass over any other silently, such as a base class
     * whose name ends as tests' names do; JUnit itself would fail in it.
     */
    private static boolean hasTests(Class<?> type) {
        try {
            if (type.isAnnotationPresent(RunWith.class) || Test.class.isAssignableFrom(type)) {
                return true;
            }
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                for (Method m : c.getDeclaredMethods()) {
                    if (m.isAnnotationPresent(org.junit.Test.class)) {
                        return true;
                    }
                }
            }
            type.getMethod("suite");
            return true;
        } catch (NoSuchMethodException e) {
            return false; // nor a suite of JUnit 3
        } catch (LinkageError e) {
            return true; // what its methods need is missing: JUnit says so
        } catch (RuntimeException e) {
            return true; // as is what its annotations need, on JDK 8
        }
    }

    private static void walk(Description d, Class<?> root, Sink sink, Set<String> seen) {
        if (!d.getChildren().isEmpty()) {
            for (Description child : d.getChildren()) {
                walk(child, root, sink, seen);
            }
            return;
        }
        Name n = new Name(d, root);
        if (n.method == null) {
            return; // a suite without tests
        }
        if (n.method.equals("initializationError")) {
            sink.problem(n.cls, new IllegalArgumentException("JUnit finds no runnable tests in it"));
            return;
        }
        if (seen.add(n.id)) {
            sink.found(n.id, n.cls, n.method, n.display, categories(d), false);
        }
    }

    /** The categories of the test and its class: by name, with those that they extend, and once more behind '='. */
    private static String[] categories(Description d) {
        List<String> tags = new ArrayList<String>();
        try {
            Class<?> type = (Class<?>) Description.class.getMethod("getTestClass").invoke(d); // from 4.6 on
            for (java.lang.annotation.Annotation a : d.getAnnotations()) {
                category(a, tags);
            }
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                for (java.lang.annotation.Annotation a : c.getAnnotations()) {
                    category(a, tags);
                }
            }
        } catch (Throwable t) {
            // an old JUnit without annotations on descriptions
        }
        return tags.toArray(new String[0]);
    }

    private static void category(java.lang.annotation.Annotation a, List<String> tags) throws Exception {
        if (!a.annotationType().getName().equals("org.junit.experimental.categories.Category")) {
            return;
        }
        for (Class<?> c : (Class<?>[]) a.annotationType().getMethod("value").invoke(a)) {
            withSupertypes(c, tags);
            tags.add("=" + c.getName());
        }
    }

    /** A category that another one extends has its tests, too. */
    private static void withSupertypes(Class<?> category, List<String> tags) {
        if (category == null || category == Object.class || tags.contains(category.getName())) {
            return;
        }
        tags.add(category.getName());
        withSupertypes(category.getSuperclass(), tags);
        for (Class<?> i : category.getInterfaces()) {
            withSupertypes(i, tags);
        }
    }

    @Override
    public void runClass(Class<?> type, Sink sink) throws Throwable {
        sink.classStart(type.getName());
        Listener l = new Listener(type, sink, null);
        if (hasTests(type)) {
            JUnitCore core = new JUnitCore();
            core.addListener(l);
            if (without.isEmpty()) {
                core.run(Request.aClass(type).getRunner());
            } else {
                run(core, type, new Chosen(type, null, without));
            }
        }
        sink.classEnd(type.getName(), l.classFailure);
    }

    @Override
    public void runTest(String id, Sink sink) throws Throwable {
        int bar = id.indexOf('|');
        String rootName = bar > 0 ? id.substring(0, bar) : id.substring(0, id.indexOf('#'));
        Class<?> root = load(rootName);
        sink.classStart(rootName);
        Listener l = new Listener(root, sink, id);
        JUnitCore core = new JUnitCore();
        core.addListener(l);
        run(core, root, new Chosen(root, id, Collections.<String>emptySet()));
        sink.classEnd(rootName, l.classFailure);
    }

    /** Runs the chosen tests of a class, if there are some. */
    private static void run(JUnitCore core, Class<?> root, Chosen chosen) throws Throwable {
        Test suite = suite(root);
        if (suite != null) {
            core.run(new ChosenOfSuite(suite, chosen));
            return;
        }
        Runner runner = Request.aClass(root).filterWith(chosen).getRunner();
        if (!chosen.shouldRun(runner.getDescription())) {
            Runner whole = Request.aClass(root).getRunner(); // one that asks the filter for other names than it tells its tests by
            if (chosen.shouldRun(whole.getDescription()) && Schedule.confine(whole, chosen)) {
                runner = whole;
            }
        }
        if (chosen.shouldRun(runner.getDescription())) {
            core.run(runner);
        }
    }

    /** Takes one test of a class, or all but some, by id. */
    private static final class Chosen extends Filter {
        private final Class<?> root;
        private final String only; // null: all
        private final Set<String> without;

        Chosen(Class<?> root, String only, Set<String> without) {
            this.root = root;
            this.only = only;
            this.without = without;
        }

        @Override
        public boolean shouldRun(Description d) {
            if (d.getChildren().isEmpty()) {
                String id = new Name(d, root).id;
                return (only == null || only.equals(id)) && !without.contains(id);
            }
            for (Description child : d.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return only == null ? "all but " + without : only;
        }
    }

    /**
     * Lets a runner pass over all tests but those that a filter takes, where it filters them otherwise: by the scheduler that a
     * ParentRunner asks to run each of its children, in the order of its description. By reflection, since JUnit has that since 4.7.
     */
    private static final class Schedule implements InvocationHandler {
        private final List<Description> children;
        private final Filter only;
        private int next;

        private Schedule(Runner of, Filter only) {
            this.children = of.getDescription().getChildren();
            this.only = only;
        }

        /** Whether the runner, and those in it, can be told. */
        static boolean confine(Runner runner, Filter only) {
            try {
                Class<?> parent = Class.forName("org.junit.runners.ParentRunner");
                Class<?> scheduler = Class.forName("org.junit.runners.model.RunnerScheduler");
                if (!parent.isInstance(runner)) {
                    return false;
                }
                Method children = parent.getDeclaredMethod("getFilteredChildren"); // those that it runs: getChildren may make others each time
                children.setAccessible(true);
                for (Object child : (Iterable<?>) children.invoke(runner)) {
                    if (child instanceof Runner && only.shouldRun(((Runner) child).getDescription()) && !confine((Runner) child, only)) {
                        return false;
                    }
                }
                Object schedule = Proxy.newProxyInstance(scheduler.getClassLoader(), new Class<?>[] {scheduler}, new Schedule(runner, only));
                parent.getMethod("setScheduler", scheduler).invoke(runner, schedule);
                return true;
            } catch (ReflectiveOperationException e) {
                return false;
            } catch (RuntimeException e) { // a runner in a module that is not open
                return false;
            }
        }

        @Override
        public Object invoke(Object proxy, Method m, Object[] args) {
            if (m.getName().equals("schedule") && next < children.size() && only.shouldRun(children.get(next++))) {
                ((Runnable) args[0]).run();
            }
            return null;
        }
    }

    /** The suite that a static method of the class builds, as for JUnit 3; null: there is none, or JUnit 4 runs some of its tests. */
    private static Test suite(Class<?> root) throws Throwable {
        RunWith with = root.getAnnotation(RunWith.class);
        if (with != null && !with.value().getName().equals("org.junit.runners.AllTests") || root.isAnnotationPresent(Ignore.class)) {
            return null;
        }
        try {
            Method m = root.getMethod("suite");
            if (!Modifier.isStatic(m.getModifiers()) || !Test.class.isAssignableFrom(m.getReturnType())) {
                return null;
            }
            Test t = (Test) m.invoke(null);
            return plain(t) ? t : null;
        } catch (NoSuchMethodException e) {
            return null;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Whether all tests in one are of JUnit 3. */
    private static boolean plain(Test t) {
        if (t instanceof TestSuite) {
            for (Enumeration<?> e = ((TestSuite) t).tests(); e.hasMoreElements();) {
                if (!plain((Test) e.nextElement())) {
                    return false;
                }
            }
            return true;
        }
        return t instanceof TestDecorator ? plain(((TestDecorator) t).getTest()) : t instanceof TestCase;
    }

    /**
     * Of a suite of JUnit 3 the chosen tests, within whatever decorators they are in, and no others: a filter of JUnit 4
     * leaves suites in a suite whole.
     */
    private static final class ChosenOfSuite implements Test {
        private final Test whole;
        private final Filter chosen;

        ChosenOfSuite(Test whole, Filter chosen) {
            this.whole = whole;
            this.chosen = chosen;
        }

        @Override
        public int countTestCases() {
            return 1;
        }

        @Override
        public void run(final TestResult to) {
            TestResult result = new TestResult() {
                @Override
                protected void run(TestCase t) {
                    if (chosen.shouldRun(Description.createTestDescription(t.getClass(), t.getName()))) {
                        super.run(t);
                    }
                }
            };
            result.addListener(new TestListener() {
                @Override
                public void startTest(Test t) {
                    to.startTest(t);
                }

                @Override
                public void addError(Test t, Throwable e) {
                    to.addError(t, e);
                }

                @Override
                public void addFailure(Test t, AssertionFailedError e) {
                    to.addFailure(t, e);
                }

                @Override
                public void endTest(Test t) {
                    to.endTest(t);
                }
            });
            whole.run(result);
        }
    }

    /** The parts of a description. */
    private static final class Name {
        final String id;
        final String cls;
        final String method; // null: not a test
        final String display;

        Name(Description d, Class<?> root) {
            String s = d.getDisplayName();
            int open = s.lastIndexOf('(');
            if (open > 0 && s.endsWith(")")) {
                method = s.substring(0, open);
                cls = s.substring(open + 1, s.length() - 1);
            } else {
                method = d.isTest() && !s.equals(root.getName()) ? s : null;
                cls = root.getName();
            }
            display = cls + "#" + method;
            id = cls.equals(root.getName()) ? display : root.getName() + "|" + display;
        }
    }

    private static final class Listener extends RunListener {
        private final Class<?> root;
        private final Sink sink;
        private final String only;
        private Throwable failure;
        private boolean skipped;
        private boolean open;
        Throwable classFailure;

        Listener(Class<?> root, Sink sink, String only) {
            this.root = root;
            this.sink = sink;
            this.only = only;
        }

        private boolean other(Name n) {
            return n.method == null || (only != null && !only.equals(n.id));
        }

        @Override
        public void testStarted(Description d) {
            Name n = new Name(d, root);
            failure = null;
            skipped = false;
            if (!other(n)) {
                open = true;
                sink.testStart(n.id, n.cls, n.method, n.display);
            }
        }

        @Override
        public void testFailure(Failure f) {
            Name n = new Name(f.getDescription(), root);
            if (open) {
                failure = failure == null ? f.getException() : failure;
            } else if (n.method == null || !f.getDescription().getChildren().isEmpty()) {
                classFailure = classFailure == null ? f.getException() : classFailure;
            } else if (!other(n)) { // failed before it started
                sink.testStart(n.id, n.cls, n.method, n.display);
                sink.testEnd(n.id, f.getException(), false);
            }
        }

        @Override
        public void testAssumptionFailure(Failure f) {
            if (open) {
                skipped = true;
                failure = failure == null ? f.getException() : failure;
            } else {
                skipAll(f.getDescription(), "assumption of the class: " + f.getMessage());
            }
        }

        @Override
        public void testIgnored(Description d) {
            String reason = "ignored";
            try {
                for (java.lang.annotation.Annotation a : d.getAnnotations()) {
                    if (a.annotationType().getName().equals("org.junit.Ignore")) {
                        String why = (String) a.annotationType().getMethod("value").invoke(a);
                        reason = why.isEmpty() ? reason : why;
                    }
                }
            } catch (Throwable t) {
                // the reason stays unknown
            }
            skipAll(d, reason);
        }

        private void skipAll(Description d, String reason) {
            for (Description child : d.getChildren()) {
                skipAll(child, reason);
            }
            Name n = new Name(d, root);
            if (d.getChildren().isEmpty() && !other(n)) {
                sink.testSkipped(n.id, n.cls, n.method, n.display, reason);
            }
        }

        @Override
        public void testFinished(Description d) {
            Name n = new Name(d, root);
            if (open && !other(n)) {
                open = false;
                sink.testEnd(n.id, failure, skipped);
            }
        }
    }
}
