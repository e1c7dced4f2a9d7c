package catchlens.adapter;

import catchlens.rt.run.Adapter;
import catchlens.rt.run.Sink;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.Set;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** JUnit 3 without JUnit 4. Ids as in the adapter of JUnit 4. */
public final class JUnit3 extends Adapter {
    private static Test suite(Class<?> type) throws Throwable {
        try {
            Method m = type.getMethod("suite");
            if (Modifier.isStatic(m.getModifiers())) {
                return (Test) m.invoke(null);
            }
        } catch (NoSuchMethodException e) {
            // a test case
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (!TestCase.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException("it is no TestCase and has no suite()");
        }
        return new TestSuite(type.asSubclass(TestCase.class));
    }

    private static String method(Test t) {
        String s = t.toString(); // method(class)
        int open = s.lastIndexOf('(');
        return open > 0 && s.endsWith(")") ? s.substring(0, open) : s;
    }

    private static String cls(Test t) {
        return t.getClass().getName();
    }

    private static String id(Test t, Class<?> root) {
        String key = cls(t) + "#" + method(t);
        return cls(t).equals(root.getName()) ? key : root.getName() + "|" + key;
    }

    @Override
    public void discover(Class<?>[] classes, Sink sink) throws Throwable {
        for (Class<?> c : classes) {
            walk(suite(c), c, sink, new LinkedHashSet<String>());
        }
    }

    private static void walk(Test t, Class<?> root, Sink sink, Set<String> seen) {
        if (t instanceof TestSuite) {
            for (Enumeration<?> e = ((TestSuite) t).tests(); e.hasMoreElements();) {
                walk((Test) e.nextElement(), root, sink, seen);
            }
        } else if (t instanceof junit.extensions.TestDecorator) {
            walk(((junit.extensions.TestDecorator) t).getTest(), root, sink, seen);
        } else if (method(t).equals("warning")) {
            sink.problem(root.getName(), new IllegalArgumentException("JUnit finds no tests in it"));
        } else if (seen.add(id(t, root))) {
            sink.found(id(t, root), cls(t), method(t), cls(t) + "#" + method(t), null, false);
        }
    }

    @Override
    public void runClass(Class<?> type, Sink sink) throws Throwable {
        run(type, sink, null, without);
    }

    @Override
    public void runTest(String id, Sink sink) throws Throwable {
        int bar = id.indexOf('|');
        run(load(bar > 0 ? id.substring(0, bar) : id.substring(0, id.indexOf('#'))), sink, id, Collections.<String>emptySet());
    }

    private static void run(Class<?> type, Sink sink, String only, Set<String> without) throws Throwable {
        sink.classStart(type.getName());
        Throwable failure = null;
        try {
            Chosen result = new Chosen(type, only, without);
            result.addListener(new Listener(type, sink));
            suite(type).run(result);
        } catch (Throwable t) {
            failure = t;
        }
        sink.classEnd(type.getName(), failure);
    }

    /** Runs the test asked for, within whatever decorators it is in, and no other; of all tests, those not left out. */
    private static final class Chosen extends TestResult {
        private final Class<?> root;
        private final String only; // null: all
        private final Set<String> without;

        Chosen(Class<?> root, String only, Set<String> without) {
            this.root = root;
            this.only = only;
            this.without = without;
        }

        @Override
        protected void run(TestCase t) {
            String id = id(t, root);
            if ((only == null || only.equals(id)) && !without.contains(id)) {
                super.run(t);
            }
        }
    }

    private static final class Listener implements TestListener {
        private final Class<?> root;
        private final Sink sink;
        private Throwable failure;

        Listener(Class<?> root, Sink sink) {
            this.root = root;
            this.sink = sink;
        }

        @Override
        public void startTest(Test t) {
            failure = null;
            sink.testStart(id(t, root), cls(t), method(t), cls(t) + "#" + method(t));
        }

        @Override
        public void addError(Test t, Throwable e) {
            failure = failure == null ? e : failure;
        }

        @Override
        public void addFailure(Test t, AssertionFailedError e) {
            failure = failure == null ? e : failure;
        }

        @Override
        public void endTest(Test t) {
            sink.testEnd(id(t, root), failure, false);
        }
    }
}
