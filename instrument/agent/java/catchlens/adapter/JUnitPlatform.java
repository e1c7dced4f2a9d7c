package catchlens.adapter;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import catchlens.rt.run.Adapter;
import catchlens.rt.run.Sink;
import catchlens.rt.wire.Wire;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Every engine of the JUnit Platform (Jupiter, Vintage, ...). Ids are the platform's unique ids. */
public final class JUnitPlatform extends Adapter {
    private final Map<String, String> parameters = new HashMap<String, String>();
    private Launcher launcher;

    @Override
    public void configure(Wire.Request settings) {
        parameters.clear();
        parameters.putAll(settings.parameters);
        // One test at a time: events of concurrent tests could not be told apart.
        parameters.put("junit.jupiter.execution.parallel.enabled", "false");
        parameters.put("junit.vintage.execution.parallel.enabled", "false");
    }

    private Launcher launcher() {
        if (launcher == null) {
            launcher = LauncherFactory.create();
        }
        return launcher;
    }

    private LauncherDiscoveryRequestBuilder request(DiscoverySelector s) {
        return LauncherDiscoveryRequestBuilder.request().selectors(s).configurationParameters(parameters);
    }

    /** Takes all tests but some. */
    private static final class Without implements PostDiscoveryFilter {
        private final Set<String> ids;

        Without(Set<String> ids) {
            this.ids = ids;
        }

        @Override
        public FilterResult apply(TestDescriptor d) {
            return FilterResult.includedIf(!ids.contains(d.getUniqueId().toString()));
        }
    }

    @Override
    public void discover(Class<?>[] classes, Sink sink) {
        for (Class<?> c : classes) {
            TestPlan plan = launcher().discover(request(selectClass(c)).build());
            for (TestIdentifier root : plan.getRoots()) {
                walk(plan, root, sink);
            }
        }
    }

    private static void walk(TestPlan plan, TestIdentifier t, Sink sink) {
        Set<TestIdentifier> children = plan.getChildren(t);
        boolean template = t.isContainer() && children.isEmpty() && method(t) != null;
        if (t.isTest() || template) {
            Names n = new Names(plan, t);
            List<String> tags = new ArrayList<String>();
            for (TestTag tag : t.getTags()) {
                tags.add(tag.getName());
            }
            sink.found(t.getUniqueId(), n.cls, n.method, n.display, tags.toArray(new String[0]), template);
        }
        for (TestIdentifier child : children) {
            walk(plan, child, sink);
        }
    }

    @Override
    public void runClass(Class<?> type, Sink sink) {
        LauncherDiscoveryRequestBuilder r = request(selectClass(type));
        if (!without.isEmpty()) {
            r.filters(new Without(without));
        }
        launcher().execute(r.build(), new Listener(sink));
    }

    @Override
    public void runTest(String id, Sink sink) {
        launcher().execute(request(selectUniqueId(id)).build(), new Listener(sink));
    }

    private static MethodSource method(TestIdentifier t) {
        TestSource s = t.getSource().orElse(null);
        return s instanceof MethodSource ? (MethodSource) s : null;
    }

    /** Class and method of a test: its own, or those of the container that made it. */
    private static final class Names {
        String cls = "";
        String method = "";
        String display;

        Names(TestPlan plan, TestIdentifier t) {
            String suffix = "";
            MethodSource m = null;
            for (TestIdentifier x = t; x != null; x = plan.getParent(x).orElse(null)) {
                TestSource s = x.getSource().orElse(null);
                if (m == null && s instanceof MethodSource) {
                    m = (MethodSource) s;
                    cls = m.getClassName();
                    method = m.getMethodName();
                }
                if (cls.isEmpty() && s instanceof ClassSource) {
                    cls = ((ClassSource) s).getClassName();
                }
                String id = x.getUniqueId();
                int hash = id.lastIndexOf(":#");
                if (hash > id.lastIndexOf('/') && id.endsWith("]")) {
                    suffix = "[" + id.substring(hash + 2) + suffix;
                }
                if (s instanceof ClassSource) {
                    break;
                }
            }
            if (method.isEmpty()) {
                method = t.getDisplayName();
            } else if (suffix.isEmpty() && t.getDisplayName().startsWith(method + "[")) {
                suffix = t.getDisplayName().substring(method.length()); // vintage's parameterised tests
            }
            display = cls + "#" + method + (m != null && overloaded(m) ? "(" + m.getMethodParameterTypes() + ")" : "") + suffix;
        }
    }

    private static boolean overloaded(MethodSource m) {
        try {
            int n = 0;
            for (Method x : load(m.getClassName()).getDeclaredMethods()) {
                if (x.getName().equals(m.getMethodName()) && !x.isSynthetic()) {
                    n++;
                }
            }
            return n > 1;
        } catch (Throwable t) {
            return false;
        }
    }

    private static final class Listener implements TestExecutionListener {
        private final Sink sink;
        private TestPlan plan;

        Listener(Sink sink) {
            this.sink = sink;
        }

        @Override
        public void testPlanExecutionStarted(TestPlan plan) {
            this.plan = plan;
        }

        private static String cls(TestIdentifier t) {
            TestSource s = t.getSource().orElse(null);
            return t.isContainer() && !t.isTest() && s instanceof ClassSource ? ((ClassSource) s).getClassName() : null;
        }

        @Override
        public void executionStarted(TestIdentifier t) {
            if (t.isTest()) {
                Names n = new Names(plan, t);
                sink.testStart(t.getUniqueId(), n.cls, n.method, n.display);
            } else if (cls(t) != null) {
                sink.classStart(cls(t));
            }
        }

        @Override
        public void executionFinished(TestIdentifier t, TestExecutionResult r) {
            Throwable failure = r.getThrowable().orElse(null);
            boolean aborted = r.getStatus() == TestExecutionResult.Status.ABORTED;
            if (r.getStatus() == TestExecutionResult.Status.FAILED && failure == null) {
                failure = new AssertionError("failed without an exception");
            }
            if (t.isTest()) {
                sink.testEnd(t.getUniqueId(), failure, aborted);
                return;
            }
            if (aborted) {
                skip(t, failure == null ? "aborted" : String.valueOf(failure.getMessage()));
                failure = null;
            }
            if (cls(t) != null) {
                sink.classEnd(cls(t), failure);
            } else if (failure != null) { // a template without invocations, an engine that failed
                Names n = new Names(plan, t);
                sink.testStart(t.getUniqueId(), n.cls, n.method, n.display);
                sink.testEnd(t.getUniqueId(), failure, false);
            }
        }

        @Override
        public void executionSkipped(TestIdentifier t, String reason) {
            skip(t, reason);
        }

        private void skip(TestIdentifier t, String reason) {
            Set<TestIdentifier> children = plan.getChildren(t);
            if (t.isTest() || (children.isEmpty() && method(t) != null)) {
                Names n = new Names(plan, t);
                sink.testSkipped(t.getUniqueId(), n.cls, n.method, n.display, reason);
            }
            for (TestIdentifier child : children) {
                skip(child, reason);
            }
        }
    }
}
