package catchlens.adapter;

import catchlens.rt.run.Adapter;
import catchlens.rt.run.Sink;
import catchlens.rt.wire.Wire;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.SkipException;
import org.testng.TestListenerAdapter;
import org.testng.annotations.Parameters;
import org.testng.annotations.Test;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * TestNG. The id of a test is class#method, with the types of its parameters if another test
 * method has the name, too; behind it [instance k] for the k-th (from 1) of several instances
 * that a factory made, and [i] for the i-th invocation (from 0) of a method with a data provider or an invocation
 * count. Invocations on a thread pool are one test, and so are the attempts of a test that is tried again: its
 * outcome is that of the last one. Where suite files are given, they say what runs, with their parameters, groups,
 * fixtures and listeners; of a class that several of their tests have, [test k] stands behind the name for the k-th.
 */
public final class TestNG extends Adapter {
    private List<String> groups = Collections.emptyList();
    private List<String> excludedGroups = Collections.emptyList();
    private List<String> suites = Collections.emptyList();

    @Override
    public void configure(Wire.Request settings) {
        groups = settings.groups;
        excludedGroups = settings.excludedGroups;
        suites = settings.suites;
    }

    @Override
    public void discover(Class<?>[] classes, Sink sink) {
        for (Class<?> c : classes) {
            List<XmlTest> tests = suites.isEmpty() ? null : TestNGSuites.of(suites, c.getName()).tests;
            List<String> seen = new ArrayList<String>();
            for (Method m : c.getMethods()) {
                Test t = annotation(m, c);
                String name = name(m, c);
                if (t == null || !t.enabled() || seen.contains(name)) {
                    continue;
                }
                seen.add(name);
                boolean many = !t.dataProvider().isEmpty() || t.invocationCount() > 1;
                String[] groups = groups(t, c);
                String id = c.getName() + "#" + name;
                if (tests == null) {
                    sink.found(id, c.getName(), m.getName(), id, groups, many);
                    continue;
                }
                for (XmlTest x : tests) {
                    if (TestNGSuites.selects(x, c.getName(), m.getName(), Arrays.asList(groups))) {
                        String of = id + label(tests, x);
                        sink.found(of, c.getName(), m.getName(), of, groups, many);
                    }
                }
            }
            if (seen.isEmpty() && !Modifier.isAbstract(c.getModifiers())) {
                sink.problem(c.getName(), new IllegalArgumentException("TestNG finds no tests in it"));
            }
        }
    }

    /** What tells tests of a class apart that several tests of the suites have: "[test k]", else "". */
    private static String label(List<XmlTest> tests, XmlTest test) {
        for (int i = 0; i < tests.size() && tests.size() > 1; i++) {
            if (tests.get(i) == test) {
                return TEST + (i + 1) + "]";
            }
        }
        return "";
    }

    /** The name of a test method of a class, with the types of its parameters where another one has the same. */
    private static String name(Method m, Class<?> type) {
        String types = types(m);
        for (Method x : type.getMethods()) {
            if (x.getName().equals(m.getName()) && annotation(x, type) != null && !types(x).equals(types)) {
                return m.getName() + types;
            }
        }
        return m.getName();
    }

    private static String types(Method m) {
        StringBuilder b = new StringBuilder();
        for (Class<?> t : m.getParameterTypes()) {
            b.append(b.length() == 0 ? "" : ", ").append(t.getSimpleName());
        }
        return "(" + b + ")";
    }

    private static String name(ITestNGMethod m) {
        Method of = m.getConstructorOrMethod().getMethod();
        return of == null ? m.getMethodName() : name(of, m.getRealClass());
    }

    /** The groups of a test method: its own, and those of its class and the classes above. */
    private static String[] groups(Test t, Class<?> type) {
        List<String> all = new ArrayList<String>(Arrays.asList(t.groups()));
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            Test of = c.getAnnotation(Test.class);
            if (of != null) {
                all.addAll(Arrays.asList(of.groups()));
            }
        }
        return all.toArray(new String[0]);
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
        run(type, null, sink);
    }

    @Override
    public void runTest(String id, Sink sink) throws Throwable {
        run(load(id.substring(0, id.indexOf('#'))), new Chosen(id), sink);
    }

    private static final String INSTANCE = "[instance ";
    private static final String TEST = "[test ";

    /** A test that is run by itself, taken apart from its id. */
    private static final class Chosen {
        final String name; // with the types of its parameters, where they tell it from others
        final String method;
        final int test; // of those of the suites that have the class, from 1; 0: the only one
        final int instance; // 0: the only one, or each
        final int invocation; // -1: all

        Chosen(String id) {
            String name = id.substring(id.indexOf('#') + 1);
            int test = 0;
            int instance = 0;
            int invocation = -1;
            for (int open = name.lastIndexOf('['); open > 0 && name.endsWith("]"); open = name.lastIndexOf('[')) {
                String number = name.substring(open, name.length() - 1);
                if (number.startsWith(TEST)) {
                    test = Integer.parseInt(number.substring(TEST.length()));
                } else if (number.startsWith(INSTANCE)) {
                    instance = Integer.parseInt(number.substring(INSTANCE.length()));
                } else {
                    invocation = Integer.parseInt(number.substring(1));
                }
                name = name.substring(0, open);
            }
            this.name = name;
            this.method = name.endsWith(")") ? name.substring(0, name.indexOf('(')) : name;
            this.test = test;
            this.instance = instance;
            this.invocation = invocation;
        }

        /** Whether a test of the suites, one of several with the class, runs it: its groups may leave it out. */
        boolean isIn(XmlTest of, List<XmlTest> tests, Class<?> type) {
            for (Method m : type.getMethods()) {
                Test t = m.getName().equals(method) ? annotation(m, type) : null;
                if (t != null && TestNGSuites.selects(of, type.getName(), method, Arrays.asList(groups(t, type)))) {
                    return test == 0 || test <= tests.size() && tests.get(test - 1) == of;
                }
            }
            return false;
        }
    }

    private void run(Class<?> type, Chosen only, Sink sink) {
        TestNGSuites of = suites.isEmpty() ? null : TestNGSuites.of(suites, type.getName());
        org.testng.TestNG ng = new org.testng.TestNG(false);
        ng.setVerbose(0);
        ng.setOutputDirectory(System.getProperty("java.io.tmpdir"));
        if (of == null) {
            ng.setXmlSuites(new ArrayList<XmlSuite>(Collections.singletonList(suite(type, only))));
        } else {
            for (XmlTest test : of.tests) {
                if (only == null || only.isIn(test, of.tests, type)) {
                    choose(TestNGSuites.entry(test, type.getName()), type, only);
                } else {
                    TestNGSuites.leaveOut(test);
                }
            }
            ng.setXmlSuites(of.roots);
        }
        Listener l = new Listener(sink, type, only, of);
        ng.addListener((ITestListener) l);
        ng.setMethodInterceptor(new Selected(type, only, without, of));
        sink.classStart(type.getName());
        Throwable failure = null;
        try {
            if (of == null || !of.tests.isEmpty()) {
                ng.run();
            }
        } catch (Throwable t) {
            failure = t;
        }
        sink.classEnd(type.getName(), failure != null ? failure : l.fixtureFailure);
    }

    /** A suite of one class. */
    private XmlSuite suite(Class<?> type, Chosen only) {
        XmlSuite suite = new XmlSuite();
        suite.setName("catchlens");
        suite.setDataProviderThreadCount(1);
        XmlTest test = new XmlTest(suite);
        test.setName(type.getName());
        if (!groups.isEmpty()) {
            test.setIncludedGroups(groups);
        }
        if (!excludedGroups.isEmpty()) {
            test.setExcludedGroups(excludedGroups);
        }
        XmlClass c = new XmlClass(type.getName());
        choose(c, type, only);
        test.setXmlClasses(new ArrayList<XmlClass>(Collections.singletonList(c)));
        return suite;
    }

    /** Has a suite's entry of a class run one test and those that it depends on, or all but those to leave out. */
    private void choose(XmlClass c, Class<?> type, Chosen only) {
        if (only != null) {
            List<Integer> which = new ArrayList<Integer>();
            if (only.invocation >= 0) {
                which.add(only.invocation);
            }
            List<String> methods = new ArrayList<String>(Collections.singletonList(only.method));
            methods.addAll(needed(type, only.method));
            TestNGSuites.include(c, methods, which);
        } else if (!without.isEmpty()) {
            List<String> names = new ArrayList<String>(c.getExcludedMethods()); // patterns
            for (String id : without) {
                if (!id.endsWith(")") && !id.endsWith("]")) {
                    names.add(id.substring(id.indexOf('#') + 1).replace("$", "\\$"));
                }
            }
            c.setExcludedMethods(names);
        }
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

    /** The number of an object among those that a factory made of its class, from 1; 0: it is the only one. */
    private static int numberOf(Object instance, ITestNGMethod m) {
        Object[] all = m.getTestClass().getInstances(true);
        for (int i = 0; all != null && all.length > 1 && i < all.length; i++) {
            if (all[i] == instance || unwrapped(all[i]) == instance) {
                return i + 1;
            }
        }
        return 0;
    }

    /** What TestNG 7 keeps with the parameters of the factory that made it. */
    private static Object unwrapped(Object kept) {
        if (kept == null || !kept.getClass().getName().startsWith("org.testng.")) {
            return kept;
        }
        try {
            return kept.getClass().getMethod("getInstance").invoke(kept);
        } catch (ReflectiveOperationException e) {
            return kept;
        }
    }

    /**
     * Leaves out what method names cannot tell apart: other instances of a factory, and other methods of the name. Of
     * a suite's other classes it leaves what the tests depend on.
     */
    private static final class Selected implements IMethodInterceptor {
        private final Class<?> type;
        private final Chosen only; // null: all
        private final Set<String> without;
        private final TestNGSuites suites; // null: there are none
        /** What tests depend on. TestNG 6 asks once for all methods, and again for those without dependencies. */
        private final Set<ITestNGMethod> needed = new HashSet<ITestNGMethod>();

        Selected(Class<?> type, Chosen only, Set<String> without, TestNGSuites suites) {
            this.type = type;
            this.only = only;
            this.without = without;
            this.suites = suites;
        }

        @Override
        public List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
            List<IMethodInstance> kept = new ArrayList<IMethodInstance>();
            String label = suites == null ? "" : label(suites.tests, context.getCurrentXmlTest());
            for (IMethodInstance m : methods) {
                if (needed.contains(m.getMethod()) || (suites == null || m.getMethod().getRealClass() == type)
                        && takes(m.getMethod(), m.getInstance(), label)) {
                    kept.add(m);
                }
            }
            if (suites == null) {
                return kept;
            }
            for (int i = 0; i < kept.size(); i++) {
                for (IMethodInstance m : methods) {
                    if (!kept.contains(m) && dependsOn(kept.get(i).getMethod(), m.getMethod())) {
                        needed.add(m.getMethod());
                        kept.add(m);
                    }
                }
            }
            List<IMethodInstance> inOrder = new ArrayList<IMethodInstance>(methods);
            inOrder.retainAll(kept);
            return inOrder;
        }

        private static boolean dependsOn(ITestNGMethod m, ITestNGMethod other) {
            String name = other.getRealClass().getName() + "." + other.getMethodName();
            if (Arrays.asList(m.getMethodsDependedUpon()).contains(name)) {
                return true;
            }
            for (String pattern : m.getGroupsDependedUpon()) {
                for (String g : other.getGroups()) {
                    if (g.equals(pattern) || g.matches(pattern)) {
                        return true;
                    }
                }
            }
            return false;
        }

        private boolean takes(ITestNGMethod m, Object instance, String label) {
            if (only == null) {
                return without.isEmpty() || !without.contains(type.getName() + "#" + name(m) + label);
            }
            if (!m.getMethodName().equals(only.method)) {
                return true; // the test depends on it
            }
            int number = numberOf(instance, m);
            return name(m).equals(only.name) && (only.instance == 0 || number == 0 || number == only.instance);
        }
    }

    /** Whether a result is that of an attempt after which the test is tried again. */
    private static boolean triedAgain(ITestResult r) {
        if (r.getStatus() != ITestResult.SKIP) {
            return false;
        }
        try {
            return Boolean.TRUE.equals(ITestResult.class.getMethod("wasRetried").invoke(r));
        } catch (ReflectiveOperationException e) { // before TestNG 6.14
            return r.getThrowable() != null && !(r.getThrowable() instanceof SkipException) && retries(r.getMethod());
        }
    }

    private static boolean retries(ITestNGMethod m) {
        try {
            return ITestNGMethod.class.getMethod("getRetryAnalyzer").invoke(m) != null;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static final class Listener extends TestListenerAdapter {
        private final Sink sink;
        private final Class<?> type;
        private final Chosen only; // null: all
        private final TestNGSuites suites; // null: there are none
        private String label = ""; // of the test of the suites that runs
        private final Map<String, Integer> invocations = new HashMap<String, Integer>();
        /** The ids of the tests that run, or are about to be tried again, one a thread. */
        private final ThreadLocal<String> open = new ThreadLocal<String>();
        Throwable fixtureFailure;

        Listener(Sink sink, Class<?> type, Chosen only, TestNGSuites suites) {
            this.sink = sink;
            this.type = type;
            this.only = only;
            this.suites = suites;
        }

        @Override
        public void onStart(ITestContext test) {
            super.onStart(test);
            label = suites == null ? "" : label(suites.tests, test.getCurrentXmlTest());
        }

        private boolean other(ITestResult r) {
            if (suites != null && !mine(r)) {
                return true; // of another class of the suite
            }
            // A single test comes with those it depends on, and with nested classes.
            return only != null && !(only.name.equals(name(r.getMethod())) && mine(r)
                    && (only.instance == 0 || only.instance == numberOf(r.getInstance(), r.getMethod())));
        }

        private boolean mine(ITestResult r) {
            return r.getTestClass().getName().equals(type.getName());
        }

        private synchronized String id(ITestResult r) {
            String id = r.getTestClass().getName() + "#" + name(r.getMethod()) + label;
            int instance = numberOf(r.getInstance(), r.getMethod());
            if (instance > 0) {
                id += INSTANCE + instance + "]";
            }
            Object[] parameters = r.getParameters();
            boolean provided = parameters != null && parameters.length > 0 && !named(r.getMethod());
            if (!provided && r.getMethod().getInvocationCount() <= 1) {
                return id;
            }
            Integer n = invocations.get(id);
            n = n != null ? n + 1 : only != null && only.invocation >= 0 ? only.invocation : 0;
            invocations.put(id, n);
            return id + "[" + n + "]";
        }

        /** Whether the parameters of a method are those of a suite, by name, and no data provider's. */
        private static boolean named(ITestNGMethod m) {
            Method of = m.getConstructorOrMethod().getMethod();
            return of != null && of.getAnnotation(Parameters.class) != null;
        }

        @Override
        public void onTestStart(ITestResult r) {
            if (!other(r) && open.get() == null) { // or it is tried again
                start(r);
            }
        }

        private void start(ITestResult r) {
            String id = id(r);
            open.set(id);
            sink.testStart(id, r.getTestClass().getName(), r.getMethod().getMethodName(), id);
        }

        private void end(ITestResult r, boolean skipped) {
            if (other(r)) {
                return;
            }
            if (open.get() == null) { // TestNG skips some without starting them
                if (skipped && !triedAgain(r)) {
                    String id = id(r);
                    String why = r.getThrowable() == null ? "skipped" : String.valueOf(r.getThrowable().getMessage());
                    sink.testSkipped(id, r.getTestClass().getName(), r.getMethod().getMethodName(), id, why);
                    return;
                }
                start(r);
            }
            if (triedAgain(r)) {
                return;
            }
            boolean passed = r.getStatus() == ITestResult.SUCCESS
                    || r.getStatus() == ITestResult.SUCCESS_PERCENTAGE_FAILURE;
            sink.testEnd(open.get(), passed ? null : r.getThrowable(), skipped);
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
        public void onTestFailedButWithinSuccessPercentage(ITestResult r) { // which build tools count as passed
            end(r, false);
        }

        @Override
        public void onConfigurationFailure(ITestResult r) {
            if (fixtureFailure == null && (only == null || suites != null || mine(r))) {
                fixtureFailure = r.getThrowable();
            }
        }
    }
}
