package catchlens.adapter;

import catchlens.rt.Adapter;
import catchlens.rt.Sink;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.testng.ITestListener;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.annotations.Test;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * TestNG. The id of a test is class#method, and [i] behind it for the i-th invocation (from 0) of a
 * method with a data provider or an invocation count. Invocations on a thread pool are one test.
 */
public final class TestNG extends Adapter {
    @Override
    public void discover(Class<?>[] classes, Sink sink) {
        for (Class<?> c : classes) {
            List<String> seen = new ArrayList<String>();
            for (Method m : c.getMethods()) {
                Test t = annotation(m, c);
                if (t == null || !t.enabled() || seen.contains(m.getName())) {
                    continue;
                }
                seen.add(m.getName());
                boolean many = !t.dataProvider().isEmpty() || t.invocationCount() > 1;
                String id = c.getName() + "#" + m.getName();
                sink.found(id, c.getName(), m.getName(), id, t.groups(), many);
            }
            if (seen.isEmpty() && !Modifier.isAbstract(c.getModifiers())) {
                sink.problem(c.getName(), new IllegalArgumentException("TestNG finds no tests in it"));
            }
        }
    }

    /** The annotation of the method, or of a class that makes its public methods tests. */
    private static Test annotation(Method m, Class<?> type) {
        Test t = m.getAnnotation(Test.class);
        if (t != null || m.getReturnType() != void.class || m.getDeclaringClass() == Object.class) {
            return t;
        }
        for (java.lang.annotation.Annotation a : m.getAnnotations()) {
            if (a.annotationType().getName().startsWith("org.testng.annotations.")) {
                return null; // configuration methods, data providers, factories
            }
        }
        return m.getDeclaringClass().getAnnotation(Test.class);
    }

    @Override
    public void runClass(Class<?> type, Sink sink) {
        run(type, null, null, sink);
    }

    @Override
    public void runTest(String id, Sink sink) throws Throwable {
        int hash = id.indexOf('#');
        String method = id.substring(hash + 1);
        Integer invocation = null;
        if (method.endsWith("]")) {
            int open = method.lastIndexOf('[');
            invocation = Integer.valueOf(method.substring(open + 1, method.length() - 1));
            method = method.substring(0, open);
        }
        run(load(id.substring(0, hash)), method, invocation, sink);
    }

    private static void run(Class<?> type, String method, Integer invocation, Sink sink) {
        XmlSuite suite = new XmlSuite();
        suite.setName("catchlens");
        suite.setDataProviderThreadCount(1);
        XmlTest test = new XmlTest(suite);
        test.setName(type.getName());
        XmlClass c = new XmlClass(type.getName());
        if (method != null) {
            List<Integer> which = invocation == null ? new ArrayList<Integer>() : new ArrayList<Integer>(Arrays.asList(invocation));
            List<XmlInclude> includes = new ArrayList<XmlInclude>();
            includes.add(new XmlInclude(method, which, 0));
            for (String other : needed(type, method)) {
                includes.add(new XmlInclude(other));
            }
            c.setIncludedMethods(includes);
        }
        test.setXmlClasses(new ArrayList<XmlClass>(Collections.singletonList(c)));
        org.testng.TestNG ng = new org.testng.TestNG(false);
        ng.setVerbose(0);
        ng.setOutputDirectory(System.getProperty("java.io.tmpdir"));
        ng.setXmlSuites(new ArrayList<XmlSuite>(Collections.singletonList(suite)));
        Listener l = new Listener(sink, type, method);
        ng.addListener((ITestListener) l);
        sink.classStart(type.getName());
        Throwable failure = null;
        try {
            ng.run();
        } catch (Throwable t) {
            failure = t;
        }
        sink.classEnd(type.getName(), failure != null ? failure : l.fixtureFailure);
    }

    /** The methods that the method depends on, by name or group, and theirs. */
    private static List<String> needed(Class<?> type, String method) {
        List<String> found = new ArrayList<String>();
        found.add(method);
        for (int i = 0; i < found.size(); i++) {
            for (Method m : type.getMethods()) {
                Test t = m.getName().equals(found.get(i)) ? annotation(m, type) : null;
                if (t == null) {
                    continue;
                }
                for (String name : t.dependsOnMethods()) {
                    add(found, name.substring(name.lastIndexOf('.') + 1));
                }
                for (String group : t.dependsOnGroups()) {
                    for (Method x : type.getMethods()) {
                        Test y = annotation(x, type);
                        if (y != null && inGroup(y, group)) {
                            add(found, x.getName());
                        }
                    }
                }
            }
        }
        found.remove(0);
        return found;
    }

    private static void add(List<String> found, String name) {
        if (!found.contains(name)) {
            found.add(name);
        }
    }

    private static boolean inGroup(Test t, String group) {
        for (String g : t.groups()) {
            if (g.equals(group) || g.matches(group)) {
                return true;
            }
        }
        return false;
    }

    private static final class Listener extends TestListenerAdapter {
        private final Sink sink;
        private final Class<?> type;
        private final String only; // null: all
        private final Map<String, Integer> invocations = new HashMap<String, Integer>();
        /** The ids of the tests that run, one a thread. */
        private final ThreadLocal<String> open = new ThreadLocal<String>();
        Throwable fixtureFailure;

        Listener(Sink sink, Class<?> type, String only) {
            this.sink = sink;
            this.type = type;
            this.only = only;
        }

        private boolean other(ITestResult r) {
            // A single test comes with those it depends on, and with nested classes.
            return only != null && !(only.equals(r.getMethod().getMethodName()) && mine(r));
        }

        private boolean mine(ITestResult r) {
            return r.getTestClass().getName().equals(type.getName());
        }

        private synchronized String id(ITestResult r) {
            String id = r.getTestClass().getName() + "#" + r.getMethod().getMethodName();
            Object[] parameters = r.getParameters();
            if ((parameters == null || parameters.length == 0) && r.getMethod().getInvocationCount() <= 1) {
                return id;
            }
            Integer n = invocations.get(id);
            n = n == null ? 0 : n + 1;
            invocations.put(id, n);
            return id + "[" + n + "]";
        }

        @Override
        public void onTestStart(ITestResult r) {
            if (!other(r)) {
                String id = id(r);
                open.set(id);
                sink.testStart(id, r.getTestClass().getName(), r.getMethod().getMethodName(), id);
            }
        }

        private void end(ITestResult r, boolean skipped) {
            if (other(r)) {
                return;
            }
            if (open.get() == null) { // TestNG skips some without starting them
                String id = id(r);
                String why = r.getThrowable() == null ? "skipped" : String.valueOf(r.getThrowable().getMessage());
                if (skipped) {
                    sink.testSkipped(id, r.getTestClass().getName(), r.getMethod().getMethodName(), id, why);
                    return;
                }
                open.set(id);
                sink.testStart(id, r.getTestClass().getName(), r.getMethod().getMethodName(), id);
            }
            sink.testEnd(open.get(), r.getStatus() == ITestResult.SUCCESS ? null : r.getThrowable(), skipped);
            open.remove();
        }

        @Override
        public void onTestSuccess(ITestResult r) {
            end(r, false);
        }

        @Override
        public void onTestFailure(ITestResult r) {
            end(r, false);
        }

        @Override
        public void onTestSkipped(ITestResult r) {
            end(r, true);
        }

        @Override
        public void onTestFailedButWithinSuccessPercentage(ITestResult r) {
            end(r, false);
        }

        @Override
        public void onConfigurationFailure(ITestResult r) {
            if (fixtureFailure == null && (only == null || mine(r))) {
                fixtureFailure = r.getThrowable();
            }
        }
    }
}
