package catchlens.adapter;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlPackage;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * The suite files of TestNG that a build runs, reduced to the tests of one class. The other classes stay in, as their
 * fixtures may be those of the suite; which methods run, an interceptor says.
 */
final class TestNGSuites {
    /** The suites, with those of their files inside as children. */
    final List<XmlSuite> roots = new ArrayList<XmlSuite>();
    /** The tests of the suites that have the class, in their order. */
    final List<XmlTest> tests = new ArrayList<XmlTest>();

    private TestNGSuites() {}

    /** Reads suite files as they are now; the tests without the class of this name are left out. */
    static TestNGSuites of(List<String> files, String type) {
        TestNGSuites all = new TestNGSuites();
        for (String file : files) {
            Collection<XmlSuite> read;
            try {
                read = read(file);
            } catch (InvocationTargetException e) { // of what, differs between versions
                Throwable t = e.getCause();
                throw new IllegalArgumentException("the suite " + file + " cannot be read: " + t, t);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this version of TestNG has no parser of suites that is known", e);
            }
            for (XmlSuite suite : read) {
                all.roots.add(suite);
                all.reduce(suite, type);
            }
        }
        return all;
    }

    /** What the parser of TestNG reads of a file. It is in another package in newer versions, as 7.10. */
    @SuppressWarnings("unchecked")
    private static Collection<XmlSuite> read(String file) throws ReflectiveOperationException {
        ClassLoader loader = XmlSuite.class.getClassLoader();
        Class<?> type;
        try {
            type = Class.forName("org.testng.xml.Parser", true, loader);
        } catch (ClassNotFoundException e) {
            type = Class.forName("org.testng.xml.internal.Parser", true, loader);
        }
        Object parser = type.getConstructor(String.class).newInstance(file);
        type.getMethod("setLoadClasses", boolean.class).invoke(parser, false);
        return (Collection<XmlSuite>) type.getMethod("parse").invoke(parser);
    }

    private void reduce(XmlSuite suite, String type) {
        inTurn(suite);
        suite.setDataProviderThreadCount(1);
        suite.setSuiteFiles(new ArrayList<String>()); // they are its children already
        List<XmlTest> kept = new ArrayList<XmlTest>();
        for (XmlTest test : suite.getTests()) {
            List<XmlClass> classes = new ArrayList<XmlClass>(test.getXmlClasses());
            List<XmlPackage> packages = new ArrayList<XmlPackage>(test.getXmlPackages());
            for (XmlPackage p : suite.getXmlPackages()) {
                if (!packages.contains(p)) {
                    packages.add(p);
                }
            }
            for (XmlPackage p : packages) {
                for (XmlClass c : p.getXmlClasses()) {
                    if (entry(classes, c.getName()) == null) {
                        classes.add(c);
                    }
                }
            }
            if (entry(classes, type) == null) {
                continue;
            }
            inTurn(test);
            test.setXmlClasses(classes);
            test.setXmlPackages(new ArrayList<XmlPackage>());
            kept.add(test);
        }
        suite.setXmlPackages(new ArrayList<XmlPackage>());
        suite.setTests(kept);
        tests.addAll(kept);
        for (XmlSuite child : suite.getChildSuites()) {
            reduce(child, type);
        }
    }

    /**
     * Has a suite or a test of one run its methods one after the other, as what runs at once cannot be told apart. The
     * kinds of running at once are texts until TestNG 6.9, an enum later.
     */
    private static void inTurn(Object of) {
        try {
            for (Method m : of.getClass().getMethods()) {
                if (!m.getName().equals("setParallel")) {
                    continue;
                }
                Class<?> kind = m.getParameterTypes()[0];
                m.invoke(of, kind == String.class ? "none" : kind.getField("NONE").get(null));
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this version of TestNG cannot run a suite's methods in turn", e);
        }
    }

    /** Has a test not run; it stays among the tests. */
    static void leaveOut(XmlTest test) {
        test.getSuite().getTests().remove(test);
    }

    /** The entry of a class in a test; null: there is none. */
    static XmlClass entry(XmlTest test, String type) {
        return entry(test.getXmlClasses(), type);
    }

    private static XmlClass entry(List<XmlClass> classes, String type) {
        for (XmlClass c : classes) {
            if (c.getName().equals(type)) {
                return c;
            }
        }
        return null;
    }

    /** Has a test run of a class only some methods, the first of them in these invocations; none given: in all. */
    static void include(XmlClass c, List<String> methods, List<Integer> invocations) {
        List<XmlInclude> includes = new ArrayList<XmlInclude>();
        for (String name : methods) {
            XmlInclude x = new XmlInclude(name, includes.isEmpty() ? invocations : new ArrayList<Integer>(), 0);
            for (XmlInclude was : c.getIncludedMethods()) {
                if (was.getName().equals(name)) {
                    x.getLocalParameters().putAll(was.getLocalParameters());
                }
            }
            includes.add(x);
        }
        c.setIncludedMethods(includes);
    }

    /** Whether a test runs a method of a class that is in these groups. */
    static boolean selects(XmlTest test, String type, String method, List<String> groups) {
        XmlClass c = entry(test, type);
        boolean in = c.getIncludedMethods().isEmpty();
        for (XmlInclude x : c.getIncludedMethods()) {
            in |= matches(method, x.getName());
        }
        for (String x : c.getExcludedMethods()) {
            in &= !matches(method, x);
        }
        List<String> included = defined(test, test.getIncludedGroups());
        return in && (included.isEmpty() || any(groups, included))
                && !any(groups, defined(test, test.getExcludedGroups()));
    }

    private static boolean any(List<String> groups, List<String> patterns) {
        for (String g : groups) {
            for (String p : patterns) {
                if (matches(g, p)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean matches(String name, String pattern) {
        return name.equals(pattern) || name.matches(pattern);
    }

    /** Groups, those that the suite defines with the groups that they stand for. */
    private static List<String> defined(XmlTest test, List<String> groups) {
        Map<String, List<String>> meta = test.getMetaGroups();
        List<String> all = new ArrayList<String>(groups);
        for (int i = 0; meta != null && i < all.size(); i++) {
            List<String> more = meta.get(all.get(i));
            for (String g : more == null ? Collections.<String>emptyList() : more) {
                if (!all.contains(g)) {
                    all.add(g);
                }
            }
        }
        return all;
    }
}
