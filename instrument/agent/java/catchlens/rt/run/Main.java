package catchlens.rt.run;

import catchlens.rt.Agent;
import catchlens.rt.inject.Injector;
import catchlens.rt.load.Transformer;
import catchlens.rt.wire.Wire;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The main class of a test JVM: carries out what the worker commands, on the main thread. */
public final class Main {
    private Main() {}

    private static final Map<String, Adapter> adapters = new HashMap<String, Adapter>();

    public static void main(String[] args) {
        if (Agent.control == null) {
            System.err.println("catchlens: started without its agent");
            Agent.halt(Wire.STATUS_REFUSED);
        }
        Capture.install();
        Map<String, Object> ready = new LinkedHashMap<String, Object>();
        Transformer t = Agent.transformer;
        ready.put("java", System.getProperty("java.version"));
        ready.put("vm", System.getProperty("java.vm.name"));
        ready.put("swapMicros", Agent.swapNanos / 1000);
        ready.put("swapped", (long) t.swapped);
        Agent.control.notify("ready", ready);
        for (;;) {
            try {
                loop();
            } catch (Throwable x) {
                Agent.notice("test thread: " + Injector.describe(x));
            }
        }
    }

    private static void loop() {
        for (;;) {
            Map<?, ?> m = Agent.control.next();
            String error = null;
            Object result = null;
            try {
                result = carryOut((String) m.get("method"), (Map<?, ?>) m.get("params"));
            } catch (Throwable t) {
                error = Injector.describe(t) + "\n" + Dump.stack(t);
            }
            Thread.interrupted();
            Agent.control.reply(m, result, error);
        }
    }

    private static Object carryOut(String method, Map<?, ?> p) throws Throwable {
        if (method.equals("discover") || method.equals("run")) {
            Wire.Request q = new Wire.Request(p);
            if (q.freshLoader) {
                freshLoader();
            }
            Runner r = new Runner(adapter(q), q);
            if (method.equals("discover")) {
                r.discover(q.items);
            } else {
                r.run(q.items);
            }
            Map<String, Object> done = new LinkedHashMap<String, Object>();
            done.put("frames", (long) Agent.bulk.frames());
            return done;
        }
        if (method.equals("statics")) {
            return Statics.digests((List<?>) p.get("classes"));
        }
        if (method.equals("remains")) {
            return Remains.digests();
        }
        if (method.equals("stats")) {
            return stats();
        }
        throw new IllegalArgumentException("unknown method " + method);
    }

    private static Object stats() {
        Transformer t = Agent.transformer;
        Map<String, Object> m = new LinkedHashMap<String, Object>();
        m.put("swapped", (long) t.swapped);
        m.put("late", (long) t.late);
        m.put("plain", (long) t.plain);
        m.put("missed", (long) t.missed);
        m.put("failed", (long) t.failed);
        synchronized (t.missedNames) {
            m.put("missedNames", new java.util.ArrayList<String>(t.missedNames));
        }
        return m;
    }

    /** From now on classes of the class path come from a loader of their own, with statics of their own. */
    private static void freshLoader() throws Exception {
        String[] path = System.getProperty("java.class.path").split(File.pathSeparator);
        java.util.ArrayList<URL> urls = new java.util.ArrayList<URL>();
        for (String entry : path) {
            if (!entry.isEmpty()) {
                urls.add(new File(entry).toURI().toURL());
            }
        }
        ClassLoader old = Adapter.loader;
        Adapter.loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getSystemClassLoader().getParent());
        adapters.clear();
        Thread.currentThread().setContextClassLoader(Adapter.loader);
        if (old instanceof URLClassLoader && old != ClassLoader.getSystemClassLoader()) {
            ((URLClassLoader) old).close(); // its jars; what threads that are left over have loaded stays
        }
    }

    private static Adapter adapter(Wire.Request q) throws Exception {
        Adapter a = adapters.get(q.adapter);
        if (a != null) {
            a.set(q);
            return a;
        }
        if (q.adapterPath == null || q.adapterPath.isEmpty()) {
            a = (Adapter) Class.forName(q.adapter).getDeclaredConstructor().newInstance();
        } else {
            URL[] urls = {new File(q.adapterPath).toURI().toURL()};
            ClassLoader loader = new URLClassLoader(urls, Adapter.loader);
            a = (Adapter) Class.forName(q.adapter, true, loader).getDeclaredConstructor().newInstance();
        }
        a.set(q);
        adapters.put(q.adapter, a);
        return a;
    }
}
