package catchlens.rt.run;

import catchlens.rt.Agent;
import catchlens.rt.load.Modules;

import java.lang.reflect.Field;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/** The process-wide settings that tests change most, to be put back after them. */
public final class SystemState {
    private final Properties object;
    private final Properties copy;
    private final Locale locale;
    private final Locale display;
    private final Locale format;
    private final TimeZone zone;
    private final Thread.UncaughtExceptionHandler handler;

    private SystemState() {
        object = System.getProperties();
        copy = (Properties) object.clone();
        locale = Locale.getDefault();
        display = Locale.getDefault(Locale.Category.DISPLAY);
        format = Locale.getDefault(Locale.Category.FORMAT);
        zone = TimeZone.getDefault();
        handler = Thread.getDefaultUncaughtExceptionHandler();
    }

    static SystemState take() {
        return new SystemState();
    }

    /**
     * Lets the JDK forget this machine's own address, which InetAddress keeps for five seconds whatever
     * settings say, where it is to remember no host's.
     */
    static void forgetLocalHost() {
        if (!"0".equals(System.getProperty("sun.net.inetaddr.ttl"))) {
            return;
        }
        try {
            Field f = InetAddress.class.getDeclaredField("cachedLocalHost");
            Modules.open(InetAddress.class);
            f.setAccessible(true);
            f.set(null, null);
        } catch (Exception e) {
            Agent.notice("this machine's address is remembered: " + e);
        }
    }

    void restore() {
        Capture.restore();
        if (System.getProperties() != object) {
            System.setProperties(object);
        }
        if (!object.equals(copy)) {
            for (Object k : object.keySet().toArray()) {
                if (!copy.containsKey(k)) {
                    object.remove(k);
                }
            }
            object.putAll(copy);
        }
        if (!locale.equals(Locale.getDefault())) {
            Locale.setDefault(locale);
        }
        if (!display.equals(Locale.getDefault(Locale.Category.DISPLAY))) {
            Locale.setDefault(Locale.Category.DISPLAY, display);
        }
        if (!format.equals(Locale.getDefault(Locale.Category.FORMAT))) {
            Locale.setDefault(Locale.Category.FORMAT, format);
        }
        if (!zone.equals(TimeZone.getDefault())) {
            TimeZone.setDefault(zone);
        }
        if (Thread.getDefaultUncaughtExceptionHandler() != handler) {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        Thread t = Thread.currentThread();
        if (t.getContextClassLoader() != ClassLoader.getSystemClassLoader()) {
            t.setContextClassLoader(ClassLoader.getSystemClassLoader());
        }
    }
}
