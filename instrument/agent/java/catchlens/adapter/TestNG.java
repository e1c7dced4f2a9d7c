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
import java.util.Set;
import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.SkipException;
import org.testng.TestListenerAdapter;
import org.testng.annotations.Test;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * TestNG. The id of a test is class#method, with the types of its parameters if another test
 * method has the name, too; behind it [instance k] for the k-th (from 1) of several instances
 * that a factory made, and [i] for the i-th invocation (from 0) of a method with a data provider or an invocation
 * count. Invocations on a thread pool are one test, and so are the attempts of a test that is tried again: its
 * outcome is that of the last one.
 */
public final class TestNG extends Adapter {
    private List<String> groups = Collections.emptyList();
    private List<String> excludedGroups = Collections.emptyList();

    @Override
    public void configure(Map<?, ?> settings) {
        groups = texts(settings.get("groups"));
        excludedGroups = texts(settings.get("excludedGroups"));
    }

    private static List<String> texts(Object list) {
        List<String> all = new ArrayList<String>();
        if (list instanceof List) {
            for (Object o : (List<?>) list) {
                all.add((String) o);
            }
        }
        return all;
    }

    @Override
    public void discover(Class<?>[] classes, Sink sink) {
        for (Class<?> c : classes) {
            List<String> seen = new ArrayList<String>();
            for (Method m : c.getMethods()) {
                Test t = annotation(m, c);
                String name = name(m, c);
                if (t == null || !t.enabled() || seen.contains(name)) {
                    continue;
                }
                seen.add(name);
                boolean many = !t.dataProvider().isEmpty() || t.invocationCount() > 1;
                String id = c.getName() + "#" + name;
                sink.found(id, c.getName(), m.getName(), id, groups(t, c), many);
            }
            if (seen.isEmpty() && !Modifier.isAbstract(c.getModifiers())) {
                sink.problem(c.getName(), new IllegalArgumentException("TestNG finds no tests in it"));
            }
        }
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

    /** A test that is run by itself, taken apart from its id. */
    private static final class Chosen {
        final String name; // with the types of its parameters, where they tell it from others
        final String method;
        final int instance; // 0: the only one, or each
        final int invocation; // -1: all

        Chosen(String id) {
            String name = id.substring(id.indexOf('#') + 1);
            int number = -1;
            int instance = 0;
            int open = name.lastIndexOf('[');
            if (open > 0 && name.endsWith("]") && !name.startsWith(INSTANCE, open)) {
                number = Integer.parseInt(name.substring(open + 1, name.length() - 1));
                name = name.substring(0, open);
                open = name.lastIndexOf('[');
            }
            if (open > 0 && name.endsWith("]")) {
                instance = Integer.parseInt(name.substring(open + INSTANCE.length(), name.length() - 1));
                name = name.substring(0, open);
            }
            this.name = name;
            this.method = name.endsWith(")") ? name.substring(0, name.indexOf('(')) : name;
            this.instance = instance;
            this.invocation = number;
        }
    }

    private void run(Class<?> type, Chosen only, Sink sink) {
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
        if (only != null) {
            List<Integer> which = new ArrayList<Integer>();
            if (only.invocation >= 0) {
                which.add(only.invocation);
            }
            List<XmlInclude> includes = new ArrayList<XmlInclude>();
            includes.add(new XmlInclude(only.method, which, 0));
            for (String other : needed(type, only.method)) {
                includes.add(new XmlInclude(other));
            }
            c.setIncludedMethods(includes);
        } else if (!without.isEmpty()) {
            List<String> names = new ArrayList<String>(); // patterns
            for (String id : without) {
                if (!id.endsWith(")")) {
                    names.add(id.substring(id.indexOf('#') + 1).replace("$", "\\$"));
                }
            }
            c.setExcludedMethods(names);
        }
        test.setXmlClasses(new ArrayList<XmlClass>(Collections.singletonList(c)));
        org.testng.TestNG ng = new org.testng.TestNG(false);
        ng.setVerbose(0);
        ng.setOutputDirectory(System.getProperty("java.io.tmpdir"));
        ng.setXmlSuites(new ArrayList<XmlSuite>(Collections.singletonList(suite)));
        Listener l = new Listener(sink, type, only);
        ng.addListener((ITestListener) l);
        ng.setMethodInterceptor(new Selected(type, only, without));
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

    /** Leaves out what method names cannot tell apart: other instances of a factory, and other methods of the name. */
    private static final class Selected implements IMethodInterceptor {
        private final Class<?> type;
        private final Chosen only; // null: all
        private final Set<String> without;

        Selected(Class<?> type, Chosen only, Set<String> without) {
            this.type = type;
            this.only = only;
            this.without = without;
        }

        @Override
        public List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
            List<IMethodInstance> kept = new ArrayList<IMethodInstance>();
            for (IMethodInstance m : methods) {
                if (takes(m.getMethod(), m.getInstance())) {
                    kept.add(m);
                }
            }
            return kept;
        }

        private boolean takes(ITestNGMethod m, Object instance) {
            if (only == null) {
                return without.isEmpty() || !without.contains(type.getName() + "#" + name(m));
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
        private final Map<String, Integer> invocations = new HashMap<String, Integer>();
        /** The ids of the tests that run, or are about to be tried again, one a thread. */
        private final ThreadLocal<String> open = new ThreadLocal<String>();
        Throwable fixtureFailure;

        Listener(Sink sink, Class<?> type, Chosen only) {
            this.sink = sink;
            this.type = type;
            this.only = only;
        }

        private boolean other(ITestResult r) {
            // A single test comes with those it depends on, and with nested classes.
            return only != null && !(only.name.equals(name(r.getMethod())) && mine(r)
                    && (only.instance == 0 || only.instance == numberOf(r.getInstance(), r.getMethod())));
        }

        private boolean mine(ITestResult r) {
            return r.getTestClass().getName().equals(type.getName());
        }

        private synchronized String id(ITestResult r) {
            String id = r.getTestClass().getName() + "#" + name(r.getMethod());
            int instance = numberOf(r.getInstance(), r.getMethod());
            if (instance > 0) {
                id += INSTANCE + instance + "]";
            }
            Object[] parameters = r.getParameters();
            if ((parameters == null || parameters.length == 0) && r.getMethod().getInvocationCount() <= 1) {
                return id;
            }
            Integer n = invocations.get(id);
            n = n != null ? n + 1 : only != null && only.invocation >= 0 ? only.invocation : 0;
            invocations.put(id, n);
            return id + "[" + n + "]";
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
