package catchlens.rt.record;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;

/** Calls methods on objects of classes that go away, and prints how large the tables of chains have become. */
public class UnloadedClasses {
    static final int CLASSES = 4000, METHODS = 4;

    public static void main(String[] args) throws Exception {
        Chains.Frame caller = Chains.begin("", 1, 0);
        Object lasting = new Object();
        for (int i = 0; i < CLASSES; i++) {
            ClassLoader loader = new ClassLoader(null) {};
            Object on = Proxy.newProxyInstance(loader, new Class<?>[] {Runnable.class}, (p, m, a) -> null);
            for (int n = 1; n <= METHODS; n++) {
                for (Object o : new Object[] {on, lasting}) {
                    Chains.callOn(o, caller, 0);
                    Chains.end(Chains.begin("", 1, n));
                }
            }
            if (i % 64 == 0) {
                on = null;
                System.gc();
            }
        }
        Chains.end(caller);
        System.out.print(length("classes") + " " + length("edges"));
    }

    static int length(String table) throws Exception {
        Field f = Chains.class.getDeclaredField(table);
        f.setAccessible(true);
        return Array.getLength(f.get(null));
    }
}
