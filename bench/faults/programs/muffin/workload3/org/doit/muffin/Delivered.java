package org.doit.muffin;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.doit.util.ThreadPool;

/** Muffin as it is delivered: its parts, made as its main makes them, and a browser that asks them for something. */
public final class Delivered implements AutoCloseable {
    final Server server;

    /** Settings are in a folder; filters are those that pages go through. */
    public Delivered(File home, String filters) throws IOException {
        Files.write(new File(home, "default.conf").toPath(), ("FilterManager.enabledFilters=" + filters + "\n").getBytes());
        Files.write(new File(home, "muffin.props").toPath(), "muffin.readTimeout=3000\nmuffin.noWindow=true\n".getBytes());
        setHost("127.0.0.1");
        Main.configs = new Configuration();
        Main.configs.setUserDirectory(home.getPath() + "/");
        Main.configs.checkUserDirectory();
        Main.configs.scan();
        Main.configs.setDefault("default.conf");
        Main.configs.setCurrent("default.conf");
        Main.options = new Options("muffin.props");
        Main.options.putInteger("muffin.port", 0);
        Main.options.putString("muffin.bindaddress", "127.0.0.1");
        Main.options.putString("muffin.maxLogFileSize", "10");
        Main.options.putString("muffin.maxLogFileHistory", "4");
        Main.options.sync();
        Main.logfile = new LogFile(new File(home, "muffin.log").getPath());
        Main.pool = new ThreadPool("Muffin Threads");
        Main.manager = new FilterManager(Main.options, Main.configs);
        server = new Server(0, new TextMonitor("workload"), Main.manager, Main.options);
        Main.options.putInteger("muffin.port", server.server.getLocalPort());
        Thread t = new Thread(() -> {
            try {
                server.run();
            } catch (RuntimeException stopped) {
                return;
            }
        });
        t.setDaemon(true);
        t.start();
    }

    /** Its main finds out where it runs, and needs a display. */
    private static void setHost(String name) throws IOException {
        try {
            Field host = Main.class.getDeclaredField("host");
            host.setAccessible(true);
            host.set(null, name);
        } catch (ReflectiveOperationException e) {
            throw new IOException(e);
        }
    }

    /** The answer to requests for addresses, one after the other, each with a connection of its own. */
    public static String ask(File home, String filters, String... addresses) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Delivered d = new Delivered(home, filters)) {
            for (String a : addresses) {
                all.append(d.exchange("GET " + a + " HTTP/1.0\r\nUser-Agent: workload\r\n\r\n"));
            }
        }
        return all.toString();
    }

    /** What comes back for the parts of a request, with a pause between each and the next. */
    String exchange(String... parts) throws IOException {
        try (Socket s = new Socket("127.0.0.1", server.server.getLocalPort())) {
            s.setSoTimeout(10000);
            for (int i = 0; i < parts.length; i++) {
                if (i > 0) {
                    pause(60);
                }
                s.getOutputStream().write(parts[i].getBytes(StandardCharsets.ISO_8859_1));
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int n; (n = s.getInputStream().read(buffer)) >= 0;) {
                all.write(buffer, 0, n);
            }
            return new String(all.toByteArray(), StandardCharsets.ISO_8859_1);
        }
    }

    static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        Main.manager.disableAll();
        ServerSocket s = server.server;
        server.server = null; // its loop ends
        s.close();
    }
}
