package catchlens.rt.load;

import catchlens.rt.Agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Opens packages of named modules (JDK 9 and later) to the agent; by reflection, for JDK 8. */
public final class Modules {
    private Modules() {}

    public static Instrumentation instrumentation;

    /** Makes every member of type accessible to the agent; does nothing on JDK 8. */
    public static void open(Class<?> type) {
        try {
            Method getModule = Class.class.getMethod("getModule");
            Object module = getModule.invoke(type);
            Object mine = getModule.invoke(Modules.class);
            String name = type.getName();
            int dot = name.lastIndexOf('.');
            if (dot < 0) {
                return;
            }
            Class<?> moduleClass = Class.forName("java.lang.Module");
            if (!(Boolean) moduleClass.getMethod("isNamed").invoke(module)) {
                return;
            }
            Set<?> me = Collections.singleton(mine);
            Map<String, Object> opens = new HashMap<String, Object>();
            opens.put(name.substring(0, dot), me);
            Instrumentation.class
                    .getMethod("redefineModule", moduleClass, Set.class, Map.class, Map.class, Set.class, Map.class)
                    .invoke(instrumentation, module, Collections.emptySet(), opens, opens, Collections.emptySet(),
                            Collections.emptyMap());
        } catch (NoSuchMethodException e) {
            // JDK 8 has no modules
        } catch (Exception e) {
            Agent.notice("cannot open the package of " + type.getName() + ": " + e);
        }
    }
}
