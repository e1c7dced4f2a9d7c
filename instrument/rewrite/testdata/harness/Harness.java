import catchlens.rt.Probe;
import java.io.File;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Scanner;

/**
 * Runs the main method of a class as it was and as it became, and writes what
 * the probes counted: Harness ORIGINAL REWRITTEN CLASS RESULTS [INJECTIONS],
 * the first two being folders. Each line of the file INJECTIONS, "class try
 * exception", is a further run of the rewritten class, in a class loader of its
 * own, with the exception thrown at each entry of the try. The folder RESULTS
 * gets "original" and "rewritten", the output of the first two runs, and
 * "counts", with lines "run outcome", then "kind class number count" each; coverage probes are one
 * kind more, with the count 1.
 */
public class Harness {
    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        PrintStream counts = new PrintStream(new File(args[3], "counts"), "UTF-8");
        System.setOut(new PrintStream(new File(args[3], "original"), "UTF-8"));
        run(args[0], args[2], null, null);
        System.out.close();
        System.setOut(new PrintStream(new File(args[3], "rewritten"), "UTF-8"));
        run(args[1], args[2], counts, null);
        System.out.close();
        if (args.length > 4) {
            System.setOut(new PrintStream(new OutputStream() {
                @Override public void write(int b) {}
                @Override public void write(byte[] b, int off, int len) {}
            }));
            try (Scanner in = new Scanner(new File(args[4]), "UTF-8")) {
                while (in.hasNextLine()) run(args[1], args[2], counts, in.nextLine().split(" "));
            }
        }
        counts.close();
        System.setOut(out);
    }

    static void run(String folder, String name, PrintStream counts, String[] injection) throws Exception {
        URL[] path = {new File(folder).toURI().toURL()};
        String outcome = "normal";
        try (URLClassLoader loader = new URLClassLoader(path, Harness.class.getClassLoader())) {
            Probe.reset();
            if (injection != null) {
                Class<?> type = Class.forName(injection[2], true, loader);
                Probe.armedClass = Integer.parseInt(injection[0]);
                Probe.armedTry = Integer.parseInt(injection[1]);
                java.lang.reflect.Constructor<?> c;
                Object[] a = {};
                try {
                    c = type.getDeclaredConstructor();
                } catch (NoSuchMethodException e) {
                    c = type.getDeclaredConstructor(String.class);
                    a = new Object[] {"injected"};
                }
                c.setAccessible(true);
                Throwable t = (Throwable) c.newInstance(a);
                Probe.reset(); // what the constructor did
                Probe.armed = t;
            }
            Class<?> main = Class.forName(name, true, loader);
            main.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            outcome = "threw " + e.getCause().getClass().getName();
            if (injection == null) throw e;
        } catch (ExceptionInInitializerError e) {
            outcome = "failed to start";
            if (injection == null) throw e;
        }
        if (counts == null) return;
        counts.println("run " + outcome.replace(' ', '_'));
        for (int kind = 0; kind < Probe.counts.length; kind++) {
            for (int c = 0; c < Probe.counts[kind].length; c++) {
                int[] a = Probe.counts[kind][c];
                for (int n = 0; a != null && n < a.length; n++) {
                    if (a[n] > 0) counts.println(kind + " " + c + " " + n + " " + a[n]);
                }
            }
        }
        for (int c = 0; c < Probe.covers.length; c++) {
            boolean[] a = Probe.covers[c];
            for (int n = 0; a != null && n < a.length; n++) {
                if (a[n]) counts.println(Probe.counts.length + " " + c + " " + n + " 1");
            }
        }
    }
}
