package catchlens.rt.run;

import catchlens.rt.wire.Wire;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/** A test framework. Implementations outside this package are compiled against the project's jars. */
public abstract class Adapter {
    /** Tells the sink of every test of the classes, running none. */
    public abstract void discover(Class<?>[] classes, Sink sink) throws Throwable;

    /** Runs all tests of the class and tells the sink of each. */
    public abstract void runClass(Class<?> type, Sink sink) throws Throwable;

    /** Runs the test with the id that discover or runClass reported, fixtures included. */
    public abstract void runTest(String id, Sink sink) throws Throwable;

    /** Ids of tests that runClass passes over: their class has others, which run as ever. */
    protected Set<String> without = Collections.emptySet();

    /** Takes a request: its ids to leave out, and its settings. */
    final void set(Wire.Request request) {
        without = new HashSet<String>(request.without);
        configure(request);
    }

    /** Takes the settings of the request that loads the adapter; most have none. */
    public void configure(Wire.Request settings) {}

    /** Where the classes of the tests come from: the system loader, or one that stands for it. */
    static volatile ClassLoader loader = ClassLoader.getSystemClassLoader();

    /** The class of this (binary) name, not initialised. */
    public static Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name, false, loader);
    }
}
