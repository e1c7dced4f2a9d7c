import java.lang.reflect.Array;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Makes natives of the JDK throw what they do not declare, and prints of each failure the method
 * that is on top of its stack, whether that is native, and the exception's class.
 */
public class ThrowingNatives extends ClassLoader {
    interface Call {
        Object call() throws Throwable;
    }

    static class Fails {
        static int count = 1 / Integer.parseInt("0");
    }

    static void print(Call call) {
        try {
            call.call();
            System.out.println("nothing");
        } catch (Throwable e) {
            StackTraceElement top = e.getStackTrace()[0];
            String words = top.getClassName() + " " + top.getMethodName() + " " + top.isNativeMethod();
            System.out.println((words + " " + e.getClass().getName()).replace('.', '/'));
        }
    }

    static Object wait(Object lock, long milliseconds) throws InterruptedException {
        lock.wait(milliseconds);
        return null;
    }

    static Object interrupted(Call call) throws Throwable {
        Thread.currentThread().interrupt();
        try {
            return call.call();
        } finally {
            Thread.interrupted();
        }
    }

    Class<?> define(String name, byte[] code) {
        return defineClass(name, code, 0, code.length);
    }

    Class<?> defineBuffer(String name, byte[] code) {
        return defineClass(name, java.nio.ByteBuffer.allocateDirect(code.length).put(code).flip(), null);
    }

    static byte[] code(String resource) throws Exception {
        try (java.io.InputStream in = ThrowingNatives.class.getResourceAsStream(resource)) {
            return in.readAllBytes();
        }
    }

    static Object voidly(Runnable r) {
        r.run();
        return null;
    }

    public static void main(String[] args) throws Exception {
        Object lock = new Object();
        int[] ints = new int[1];
        print(() -> voidly(lock::notify));
        print(() -> voidly(lock::notifyAll));
        print(() -> wait(lock, 1));
        print(() -> wait(lock, -1));
        print(() -> interrupted(() -> {
            synchronized (lock) {
                return wait(lock, 1);
            }
        }));
        print(() -> { Thread.sleep(-1); return null; });
        print(() -> interrupted(() -> { Thread.sleep(1); return null; }));
        print(() -> Thread.holdsLock(null));
        print(() -> System.mapLibraryName(null));
        print(() -> System.mapLibraryName("x".repeat(300)));
        print(() -> { System.arraycopy(ints, 0, new long[1], 0, 1); return null; });
        print(() -> { System.arraycopy(ints, 0, ints, 0, 2); return null; });
        print(() -> { System.arraycopy(null, 0, ints, 0, 2); return null; });
        print(() -> { System.arraycopy(new Object[] {""}, 0, new Integer[1], 0, 1); return null; });
        print(() -> Array.newInstance(void.class, 1));
        print(() -> Array.newInstance(null, 1));
        print(() -> Array.newInstance(int.class, -1));
        print(() -> Array.newInstance(int.class, new int[0]));
        print(() -> Array.newInstance(void.class, 1, 1));
        print(() -> Array.newInstance(int.class, 1, -1));
        print(() -> Array.newInstance(null, 1, 1));
        print(() -> Array.newInstance(int.class, (int[]) null));
        arrays(null);
        arrays("");
        arrays(ints);
        arrays(new boolean[0]);
        print(() -> voidly(() -> Array.set(new String[1], 0, 1)));
        print(() -> Class.forName("ThrowingNatives$Fails"));
        print(() -> Object.class.isAssignableFrom(null));
        ThrowingNatives loader = new ThrowingNatives();
        byte[] own = code("ThrowingNatives$Call.class");
        byte[] future = own.clone();
        future[7] = 120;
        for (java.util.function.BiFunction<String, byte[], Class<?>> f : java.util.List
                .<java.util.function.BiFunction<String, byte[], Class<?>>>of(new ThrowingNatives()::define,
                        new ThrowingNatives()::defineBuffer)) {
            print(() -> f.apply("A", new byte[4]));
            print(() -> f.apply("A", own));
            print(() -> f.apply("A", future));
            print(() -> {
                f.apply("ThrowingNatives$Call", own);
                return f.apply("ThrowingNatives$Call", own);
            });
        }
        Inflater inflater = new Inflater();
        inflater.setInput(new byte[] {1, 2, 3, 4});
        print(() -> inflater.inflate(new byte[10]));
        print(() -> voidly(() -> new Inflater().setDictionary(new byte[1])));
        Deflater deflater = new Deflater();
        deflater.setInput(new byte[] {1, 2, 3, 4});
        deflater.deflate(new byte[1]);
        print(() -> voidly(() -> deflater.setDictionary(new byte[1])));
        print(() -> voidly(() -> new Inflater().setDictionary(java.nio.ByteBuffer.allocateDirect(1))));
        print(() -> voidly(() -> deflater.setDictionary(java.nio.ByteBuffer.allocateDirect(1))));
        print(() -> new Deflater(42));
        java.io.FileInputStream closed = new java.io.FileInputStream("/dev/null");
        closed.close();
        print(() -> closed.skip(1));
        print(() -> sunUnsafe().allocateInstance(Runnable.class));
        print(() -> sunUnsafe().allocateInstance(Fails.class));
        print(() -> sunUnsafe().allocateInstance(Class.class));
        internals();
        linkage();
        brokenPipe();
    }

    /** Sends a file to a peer that has gone, until the system knows. */
    static void brokenPipe() throws Exception {
        java.nio.file.Path file = java.nio.file.Files.createTempFile("sent", null);
        java.nio.file.Files.write(file, new byte[10000]);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(
                new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(server.getLocalAddress());
                FileChannel in = FileChannel.open(file, java.nio.file.StandardOpenOption.DELETE_ON_CLOSE)) {
            server.accept().close();
            print(() -> {
                while (true) {
                    in.transferTo(0, 10000, client);
                }
            });
        }
    }

    /** Asks for element 1, or sets it. */
    static void arrays(Object array) {
        if (array == null || !array.getClass().isArray()) {
            print(() -> Array.getLength(array));
        }
        print(() -> Array.get(array, 1));
        print(() -> Array.getBoolean(array, 1));
        print(() -> Array.getByte(array, 1));
        print(() -> Array.getChar(array, 1));
        print(() -> Array.getShort(array, 1));
        print(() -> Array.getInt(array, 1));
        print(() -> Array.getLong(array, 1));
        print(() -> Array.getFloat(array, 1));
        print(() -> Array.getDouble(array, 1));
        print(() -> voidly(() -> Array.set(array, 1, 1)));
        print(() -> voidly(() -> Array.setBoolean(array, 1, true)));
        print(() -> voidly(() -> Array.setByte(array, 1, (byte) 1)));
        print(() -> voidly(() -> Array.setChar(array, 1, '1')));
        print(() -> voidly(() -> Array.setShort(array, 1, (short) 1)));
        print(() -> voidly(() -> Array.setInt(array, 1, 1)));
        print(() -> voidly(() -> Array.setLong(array, 1, 1)));
        print(() -> voidly(() -> Array.setFloat(array, 1, 1)));
        print(() -> voidly(() -> Array.setDouble(array, 1, 1)));
    }

    interface Gone {
        default Object local() {
            return new Object() {
            };
        }
    }

    /** What cannot be linked where Gone is not there. */
    static class Refers {
        Gone field;

        Refers(Gone gone) {
        }

        void method(Gone gone) {
        }

        record Part(Gone gone) {
        }

        class Inner {
        }

        static class Sub implements Gone {
        }
    }

    /** Has Refers of its own, and no Gone. */
    static class Partial extends ClassLoader {
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Gone.class.getName())) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("ThrowingNatives$Refers") && !name.startsWith("ThrowingNatives$Gone$")) {
                return super.loadClass(name, resolve);
            }
            try {
                byte[] b = code(name + ".class");
                return defineClass(name, b, 0, b.length);
            } catch (Exception e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static void linkage() throws Exception {
        Class<?> refers = new Partial().loadClass("ThrowingNatives$Refers");
        print(refers::getDeclaredMethods);
        print(refers::getDeclaredConstructors);
        print(refers::getDeclaredFields);
        print(() -> new Partial().loadClass("ThrowingNatives$Refers$Part").getRecordComponents());
        print(() -> new Partial().loadClass("ThrowingNatives$Refers$Sub"));
        Class<?> lone = new ThrowingNatives().define("ThrowingNatives$Refers", code("ThrowingNatives$Refers.class"));
        print(lone::getDeclaredClasses);
        Class<?> inner = new ThrowingNatives().define("ThrowingNatives$Refers$Inner",
                code("ThrowingNatives$Refers$Inner.class"));
        print(inner::getDeclaringClass);
        print(new Partial().loadClass("ThrowingNatives$Gone$1")::getEnclosingMethod);
    }

    static Object invoke(Class<?> declaring, Object on, String name, Object... args) throws Throwable {
        for (java.lang.reflect.Method m : declaring.getDeclaredMethods()) {
            if (m.getName().equals(name) && m.getParameterCount() == args.length) {
                m.setAccessible(true);
                try {
                    return m.invoke(on, args);
                } catch (java.lang.reflect.InvocationTargetException e) {
                    throw e.getCause();
                }
            }
        }
        throw new NoSuchMethodError(name);
    }

    static void internals() throws Exception {
        java.lang.reflect.Method getPool = Class.class.getDeclaredMethod("getConstantPool");
        getPool.setAccessible(true);
        Object p = getPool.invoke(ThrowingNatives.class);
        for (String name : new String[] {"getClassAt", "getClassAtIfLoaded", "getClassRefIndexAt", "getMethodAt",
                "getMethodAtIfLoaded", "getFieldAt", "getFieldAtIfLoaded", "getMemberRefInfoAt",
                "getNameAndTypeRefIndexAt", "getNameAndTypeRefInfoAt", "getIntAt", "getLongAt", "getFloatAt",
                "getDoubleAt", "getStringAt", "getUTF8At", "getTagAt"}) {
            print(() -> invoke(p.getClass(), p, name, 30000));
        }
        Module own = ThrowingNatives.class.getModule();
        Module base = Object.class.getModule();
        print(() -> invoke(Module.class, null, "addExports0", base, "no.such", own));
        print(() -> invoke(Module.class, null, "addExportsToAll0", base, "no.such"));
        print(() -> invoke(Module.class, null, "addExportsToAllUnnamed0", base, "no.such"));
        Class<?> perf = Class.forName("jdk.internal.perf.Perf");
        java.lang.reflect.Method m = perf.getMethod("getPerf");
        Object counters = m.invoke(null);
        print(() -> invoke(perf, counters, "createLong", "a.b", 99, 1, 0L));
        print(() -> invoke(perf, counters, "createByteArray", "a.b", 99, 1, new byte[1], 1));
        Class<?> unsafe = Class.forName("jdk.internal.misc.Unsafe");
        Object u = unsafe.getMethod("getUnsafe").invoke(null);
        print(() -> invoke(unsafe, u, "objectFieldOffset1", String.class, "nothing"));
        java.lang.reflect.Field one = Fails.class.getDeclaredField("count");
        java.lang.reflect.Field each = Refers.class.getDeclaredField("field");
        print(() -> invoke(unsafe, u, "objectFieldOffset0", one));
        print(() -> invoke(unsafe, u, "staticFieldOffset0", each));
        print(() -> invoke(unsafe, u, "staticFieldBase0", each));
        print(() -> invoke(unsafe, u, "arrayBaseOffset0", String.class));
        print(() -> invoke(unsafe, u, "arrayIndexScale0", String.class));
        Class.forName("com.sun.management.internal.PlatformMBeanProviderImpl"); // loads the code of Flag
        Class<?> flag = Class.forName("com.sun.management.internal.Flag");
        print(() -> invoke(flag, null, "setLongValue", "nothing", 1L));
        print(() -> invoke(flag, null, "setDoubleValue", "nothing", 1.0));
        print(() -> invoke(flag, null, "setBooleanValue", "nothing", true));
        print(() -> invoke(flag, null, "setStringValue", "nothing", "1"));
    }

    static sun.misc.Unsafe sunUnsafe() throws ReflectiveOperationException {
        java.lang.reflect.Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        return (sun.misc.Unsafe) f.get(null);
    }
}
