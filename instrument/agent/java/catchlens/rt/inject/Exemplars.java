package catchlens.rt.inject;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Some real exceptions of each class that clean runs have thrown or caught in this JVM. */
public final class Exemplars {
    private Exemplars() {}

    /** Classes of which one is kept: what they lead to stays in memory. */
    private static final int MOST = 256;

    /** Whether those that probes see now are kept: a clean run is under way in a JVM that is injected into. */
    public static volatile boolean on;

    private static final Map<Class<?>, Kept> KEPT = new LinkedHashMap<Class<?>, Kept>();

    /** An exception has been thrown or caught. The guard is set. */
    public static synchronized void note(Throwable e) {
        if (KEPT.size() < MOST && !KEPT.containsKey(e.getClass())) {
            Kept k = Kept.of(e);
            if (k != null) {
                KEPT.put(e.getClass(), k);
            }
        }
    }

    /**
     * A real exception of the class or, where none was seen, of one below it, the first by name, but of none of these names or
     * below; null: none.
     */
    static synchronized Kept of(Class<?> type, List<String> not) {
        Kept found = isOne(type, not) ? null : KEPT.get(type);
        String name = null;
        if (found == null) {
            for (Map.Entry<Class<?>, Kept> x : KEPT.entrySet()) {
                String n = x.getKey().getName();
                if (type.isAssignableFrom(x.getKey()) && !isOne(x.getKey(), not) && (name == null || n.compareTo(name) < 0)) {
                    found = x.getValue();
                    name = n;
                }
            }
        }
        return found;
    }

    private static boolean isOne(Class<?> k, List<String> names) {
        for (; k != null; k = k.getSuperclass()) {
            if (names.contains(k.getName())) {
                return true;
            }
        }
        return false;
    }
}
