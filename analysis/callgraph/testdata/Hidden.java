import java.io.*;
import java.lang.invoke.*;
import java.lang.ref.Cleaner;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;

/** Calls that no invoke instruction of the program names. Methods reached under RTA are called reached..., others dead... */
public class Hidden {
    static class Finalizable {
        @SuppressWarnings({"deprecation", "removal"})
        @Override protected void finalize() { reachedByFinalizer(); }
    }

    static class Saved implements Serializable {
        private void readObject(ObjectInputStream in) { reachedByDeserialisation(); }
        private void writeObject(ObjectOutputStream out) { reachedBySerialisation(); }
        Object readResolve() { reachedByResolve(); return this; }
    }

    interface Api { void act(); }

    static class Handler implements InvocationHandler {
        public Object invoke(Object proxy, Method m, Object[] args) { reachedByProxy(); return null; }
    }

    public static class Made { public Made() { reachedByConstructor(); } }
    public static class Named { public void called() { reachedByMethod(); } public void notCalled() { deadMethod(); } }
    static class Behind { static void handle() { reachedByHandle(); } }
    static class Text { @Override public String toString() { return reachedByConcat(); } }
    static class Key { @Override public int hashCode() { return reachedByHash(); } }
    static class NeverMade implements Runnable { public void run() { deadRun(); } }
    static class Initialised { static int x; static { reachedByInitialiser(); } static void use() { } }

    static void reachedByFinalizer() { }
    static void reachedByDeserialisation() { }
    static void reachedBySerialisation() { }
    static void reachedByResolve() { }
    static void reachedByProxy() { }
    static void reachedByConstructor() { }
    static void reachedByMethod() { }
    static void reachedByHandle() { }
    static String reachedByConcat() { return ""; }
    static int reachedByHash() { return 0; }
    static void reachedByCleaner() { }
    static void reachedByExecutor() { }
    static void reachedByStream() { }
    static void reachedByComparator() { }
    static void reachedByInitialiser() { }
    static void reachedByHook() { }
    static void deadMethod() { }
    static void deadRun() { }
    static void deadLambda() { }

    public static void main(String[] args) throws Throwable {
        new Finalizable();
        ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream());
        out.writeObject(new Saved());
        new ObjectInputStream(new ByteArrayInputStream(new byte[0])).readObject();
        Api api = (Api) Proxy.newProxyInstance(Hidden.class.getClassLoader(), new Class<?>[] {Api.class}, new Handler());
        api.act();
        Class.forName("Hidden$Made").getConstructor().newInstance();
        Named.class.getMethod("called").invoke(new Named());
        MethodHandle h = MethodHandles.lookup().findStatic(Behind.class, "handle", MethodType.methodType(void.class));
        h.invoke();
        System.out.println("text " + new Text());
        new HashMap<Object, Object>().put(new Key(), "");
        Cleaner.create().register(new Object(), () -> reachedByCleaner());
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.submit((Callable<String>) () -> { reachedByExecutor(); return ""; }).get();
        List.of(1, 2).stream().map(i -> { reachedByStream(); return i; }).forEach(i -> { });
        new TreeMap<String, String>((a, b) -> { reachedByComparator(); return 0; }).put("", "");
        Initialised.use();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> reachedByHook()));
    }

    static void nobodyCalls() {
        Supplier<String> s = () -> { deadLambda(); return ""; };
        s.get();
        new NeverMade();
    }
}
