package catchlens.rt;

import catchlens.rt.inject.Injector;
import catchlens.rt.load.Modules;
import catchlens.rt.load.Transformer;
import catchlens.rt.record.Below;
import catchlens.rt.record.ThreadTable;
import catchlens.rt.wire.Bulk;
import catchlens.rt.wire.Control;
import catchlens.rt.wire.Json;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.Map;

/**
 * Starts the agent: reads its settings from standard input (one line, so that no process list shows
 * them), connects to the worker, and swaps classes from then on. The JVM ends when the worker is
 * gone or does not authenticate.
 */
public final class Agent {
    private Agent() {}


    public static volatile boolean halting;
    public static Bulk bulk;
    public static Control control;
    public static Transformer transformer;

    /** Called by the JVM before the program's main class. */
    public static void premain(String args, Instrumentation inst) {
        try {
            Modules.instrumentation = inst;
            Wire.Settings settings = new Wire.Settings((Map<?, ?>) Json.parse(readSettings()));
            control = new Control(settings.port, settings.token, settings.reply);
            bulk = new Bulk(settings.port, settings.token, settings.reply);
            control.start("control");
            bulk.start("bulk");
            Below.configure(settings.tries);
            long start = System.nanoTime();
            transformer = new Transformer(settings.bundles, settings.ask, settings.named);
            inst.addTransformer(transformer, inst.isRetransformClassesSupported());
            transformer.catchUp(inst);
            swapNanos = System.nanoTime() - start;
        } catch (Throwable t) {
            System.err.println("catchlens: the agent cannot start: " + Injector.describe(t));
            halt(Wire.STATUS_REFUSED);
        }
    }

    public static long swapNanos;

    /** A line with the number of bytes that follow, and these: what is behind them belongs to the tests. */
    private static String readSettings() throws IOException {
        FileInputStream in = new FileInputStream(FileDescriptor.in);
        int n = 0;
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < '0' || b > '9') {
                throw new IOException("no settings on standard input");
            }
            n = 10 * n + b - '0';
        }
        byte[] text = new byte[n];
        for (int have = 0; have < n;) {
            int more = in.read(text, have, n - have);
            if (more < 0) {
                throw new IOException("the settings on standard input are cut short");
            }
            have += more;
        }
        return new String(text, "UTF-8");
    }

    /** Starts a thread of the agent. It never counts: its guard stays set. */
    public static void daemon(String name, final Runnable work) {
        ThreadGroup g = Thread.currentThread().getThreadGroup();
        while (g.getParent() != null) {
            g = g.getParent();
        }
        Thread t = new Thread(g, new Runnable() {
            @Override
            public void run() {
                ThreadTable.add(Thread.currentThread(), -1, 0).busy = true;
                work.run();
            }
        }, name, 0);
        t.setDaemon(true);
        t.setContextClassLoader(null);
        ThreadTable.add(t, -1, 0).busy = true;
        t.start();
    }

    /** The worker is gone: so is the reason for this JVM. */
    public static void lost(Throwable t) {
        halt(Wire.STATUS_LOST);
    }

    public static void halt(int status) {
        halting = true;
        Runtime.getRuntime().halt(status);
    }

    /** Something for the worker's log. Never fails. */
    public static void notice(String text) {
        try {
            if (bulk != null) {
                bulk.put(Wire.FRAME_NOTICE, new Out().str(text));
            }
        } catch (Throwable t) {
            // nobody left to tell
        }
    }
}
