package p; //@ sources[ecj]("new java/lang/IllegalArgumentException") indy[ecj]("lambda java/lang/Runnable.run()V = special p/Calls.touch + java/io/Serializable")

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** Receivers, constant arguments, covers, call sites, class initialisation. */
class Calls { //@ sources[javac]("new java/lang/IllegalArgumentException") indy[javac,release8]("lambda java/lang/Runnable.run()V = special p/Calls.touch + java/io/Serializable") indy[javac]("lambda java/lang/Runnable.run()V = virtual p/Calls.touch + java/io/Serializable")
    static int counter;
    InputStream in;

    void receivers(boolean b, List<String> given) throws IOException {
        List<String> a = new ArrayList<>();
        a.add("x"); //@ recv("add=java/util/ArrayList!") args("add(\"x\")")
        List<String> c = b ? new ArrayList<>() : new LinkedList<>();
        c.clear();
        List<String> d = null;
        if (b) {
            d = new LinkedList<>();
        }
        d.clear(); //@ recv("clear=java/util/LinkedList!")
        given.clear();
        InputStream s = new FileInputStream("f"); //@ args("<init>(\"f\")")
        s.read(); //@ recv("read=java/io/FileInputStream!")
        in.read();
        Object o = given;
        ((ArrayList<?>) o).trimToSize();
        o.hashCode(); //@ recv("hashCode=java/util/List")
        new Object().hashCode(); //@ recv("hashCode=java/lang/Object!")
    }

    void reflection(ClassLoader l) throws Exception {
        String name = "p.Target";
        Class<?> c = Class.forName(name); //@ args("forName(\"p.Target\")")
        l.loadClass("p.Other"); //@ args("loadClass(\"p.Other\")")
        c.getMethod("run", String.class).invoke(null, 1); //@ args("getMethod(\"run\", _)", "invoke(null, _)")
        ServiceLoader.load(Runnable.class); //@ args("load(java/lang/Runnable.class)")
        Class<?> k = counter > 0 ? Integer.class : Long.class;
        k.getConstructor((Class<?>[]) null); //@ args("getConstructor(null)")
        String other = counter > 0 ? "a" : "b";
        Class.forName(other);
    }

    void covers() {
        try {
            in.read(); //@ covers("read: java/io/IOException, java/lang/RuntimeException")
            try {
                in.close(); //@ covers("close: java/lang/IllegalStateException, java/io/IOException, java/lang/RuntimeException")
            } catch (IllegalStateException e) { //@ param[javac]("e")
                in = null;
            }
        } catch (IOException notRead) { //@ param("notRead")
            notRead.printStackTrace();
        } catch (RuntimeException e) { //@ param("e")
            throw e; //@ sources("caught java/lang/RuntimeException")
        }
    }

    void sites(String text) throws Exception {
        Runnable r = () -> counter++; //@ indy("lambda java/lang/Runnable.run()V = static p/Calls.lambda")
        Runnable s = (Runnable & java.io.Serializable) this::touch; //@ indy("lambda java/lang/Runnable.run()V = special p/Calls.touch + java/io/Serializable") indy[javac,release17]("lambda java/lang/Runnable.run()V = virtual p/Calls.touch + java/io/Serializable") indy[javac,release25]("lambda java/lang/Runnable.run()V = virtual p/Calls.touch + java/io/Serializable")
        Function<String, Integer> f = Integer::valueOf; //@ indy("lambda java/util/function/Function.apply(Ljava/lang/Object;)Ljava/lang/Object; = static java/lang/Integer.valueOf") inits("java/lang/Integer")
        Callable<Object> c = Object::new; //@ indy("lambda java/util/concurrent/Callable.call()Ljava/lang/Object; = new java/lang/Object.<init>") inits("java/lang/Object")
        r.run();
        s.run();
        f.apply(text);
        c.call();
    }

    interface Sink<T> {
        void put(T t);
    }

    interface TextSink extends Sink<String> {
        void put(String s);
    }

    void bridged() {
        TextSink sink = s -> counter++; //@ indy[javac]("lambda p/Calls$TextSink.put(Ljava/lang/String;)V = static p/Calls.lambda") indy[ecj]("lambda p/Calls$TextSink.put(Ljava/lang/String;)V = static p/Calls.lambda ~ (Ljava/lang/Object;)V")
        sink.put("x"); //@ args("put(\"x\")")
    }

    int implicit(int[] a, Object o, int n) {
        a[n]++; //@ implicit("NPE+index")
        Calls c = (Calls) o; //@ implicit("cast")
        if (c.in == null) { //@ implicit("NPE")
            in = null;
        }
        Object[] all = new Object[n]; //@ implicit("size+memory")
        all[0] = o; //@ implicit("index+store")
        synchronized (o) { //@ implicit[javac]("NPE") implicit[ecj]("NPE", "NPE+monitor") sources[ecj]("caught any")
            n /= 2;
        } //@ implicit[javac]("NPE+monitor") sources[javac]("caught any")
        return all.length / n % 7; //@ implicit("zero")
    }

    private void touch() {}

    void initialises() {
        counter++;
        System.out.println(); //@ inits("java/lang/System")
        Other.x = 1; //@ inits("p/Calls$Other")
        Other.run(); //@ inits("p/Calls$Other")
        new Other(); //@ inits("p/Calls$Other")
        Object[] none = new Other[0];
    }

    static class Other {
        static int x;

        static void run() {}
    }
}
