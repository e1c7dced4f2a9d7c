package catchlens.rt.load;

import catchlens.rt.Agent;
import catchlens.rt.inject.Injector;
import catchlens.rt.record.Recorder;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Adler32;
import java.util.zip.CRC32;

/**
 * Swaps the bytes of classes as they load: looked up in the bundles by what the JVM hands over, or
 * rewritten by the worker there and then.
 */
public final class Transformer implements ClassFileTransformer {
    private final Bundle[] bundles;
    private final boolean ask;
    /** Classes of other names than the bundles' stay as they are. */
    private final boolean named;
    private final ClassLoader platformLoader;

    /** Counts for the worker. Written under races that may lose one: they are for reports. */
    public int swapped;
    public int late;
    public int plain;
    public int missed;
    public int failed;
    public final List<String> missedNames = new ArrayList<String>();

    public Transformer(List<?> paths, boolean ask, boolean named) throws IOException {
        bundles = new Bundle[paths.size()];
        for (int i = 0; i < bundles.length; i++) {
            bundles[i] = new Bundle((String) paths.get(i));
        }
        this.ask = ask;
        this.named = named;
        platformLoader = ClassLoader.getSystemClassLoader().getParent();
        key(new byte[1]); // loads what it needs
    }

    static ClassEntry.ClassKey key(byte[] b) {
        CRC32 crc = new CRC32();
        crc.update(b, 0, b.length);
        Adler32 adler = new Adler32();
        adler.update(b, 0, b.length);
        return new ClassEntry.ClassKey((int) crc.getValue(), (int) adler.getValue(), b.length);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain pd, byte[] bytes) {
        if (name == null || name.startsWith("catchlens/")) {
            return null;
        }
        boolean mine = Recorder.guard();
        try {
            byte[] out = swap(loader, name, bytes, mine);
            if (name.equals("java/lang/Runtime")) {
                out = ExitGuard.patch(out == null ? bytes : out);
            }
            return out;
        } catch (Throwable t) {
            failed++;
            Agent.notice("class " + name + " is not rewritten: " + Injector.describe(t));
            return null;
        } finally {
            if (mine) {
                Recorder.leave();
            }
        }
    }

    private byte[] swap(ClassLoader loader, String name, byte[] bytes, boolean mayAsk) throws IOException {
        if (generatedByJdk(name)) {
            return null;
        }
        if (named && !mayRewrite(name)) {
            return plain();
        }
        ClassEntry.ClassKey key = key(bytes);
        for (Bundle b : bundles) {
            Bundle.Found f = b.find(key);
            if (f != null) {
                return f.bytes == null || !Loaders.findProbes(loader) ? plain() : define(loader, name, key, f, false);
            }
        }
        if (!ask) {
            return plain();
        }
        if (!mayAsk) { // a class that the agent's own work needs, in the middle of it
            missed++;
            synchronized (missedNames) {
                if (missedNames.size() < 1000) {
                    missedNames.add(name);
                }
            }
            return null;
        }
        Bundle.Found f = Agent.bulk.ask(kind(loader), name, bytes);
        if (f == null) {
            missed++;
            return null;
        }
        return f.bytes == null || !Loaders.findProbes(loader) ? plain() : define(loader, name, key, f, true);
    }

    private byte[] plain() {
        plain++;
        return null;
    }

    /** Accessors that core reflection spins: they are no code of anybody. */
    private static boolean generatedByJdk(String name) {
        return name.startsWith("jdk/internal/reflect/Generated") || name.startsWith("sun/reflect/Generated")
                || name.startsWith("java/lang/invoke/LambdaForm$");
    }

    private byte[] define(ClassLoader loader, String name, ClassEntry.ClassKey key, Bundle.Found f, boolean isLate) {
        ClassEntry e = Recorder.register(name, key, kind(loader), loader, f.counts, isLate);
        int at = f.numberOffset;
        int c = e.number;
        f.bytes[at] = (byte) (c >> 24);
        f.bytes[at + 1] = (byte) (c >> 16);
        f.bytes[at + 2] = (byte) (c >> 8);
        f.bytes[at + 3] = (byte) c;
        swapped++;
        if (isLate) {
            late++;
        }
        return f.bytes;
    }

    private String kind(ClassLoader loader) {
        if (loader == null) {
            return "boot";
        }
        if (loader == platformLoader) {
            return "platform";
        }
        return loader == ClassLoader.getSystemClassLoader() ? "app" : "custom";
    }

    /** Retransforms the classes that were loaded before the agent and have a rewritten version. */
    public void catchUp(Instrumentation inst) {
        List<Class<?>> todo = new ArrayList<Class<?>>();
        for (Class<?> c : inst.getAllLoadedClasses()) {
            if (c.isArray() || c.isPrimitive() || c.getName().startsWith("catchlens.") || !inst.isModifiableClass(c)) {
                continue;
            }
            String name = c.getName().replace('.', '/');
            if (name.equals("java/lang/Runtime") || mayRewrite(name)) {
                todo.add(c);
            }
        }
        retransform(inst, todo.toArray(new Class<?>[0]));
    }

    private boolean mayRewrite(String name) {
        for (Bundle b : bundles) {
            if (b.mayRewrite(name)) {
                return true;
            }
        }
        return false;
    }

    /** One call for all of them; where the JVM refuses, halves, down to the class it refuses. */
    private void retransform(Instrumentation inst, Class<?>[] cs) {
        if (cs.length == 0) {
            return;
        }
        try {
            inst.retransformClasses(cs);
        } catch (Throwable t) {
            if (cs.length == 1) {
                failed++;
                Agent.notice("class " + cs[0].getName() + " is not retransformed: " + Injector.describe(t));
                return;
            }
            int half = cs.length / 2;
            retransform(inst, java.util.Arrays.copyOfRange(cs, 0, half));
            retransform(inst, java.util.Arrays.copyOfRange(cs, half, cs.length));
        }
    }
}
