package org.doit.muffin;

import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLClassLoader;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import org.xbill.DNS.Type;
import served.Packaged;

/**
 * Workload 7 of Muffin: what its first six leave open, by what catchlens says of the links that they do not
 * cover. Servers of names that have names themselves; a plug-in that closes a connection.
 */
public class Muffin7Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private static String name() throws IOException {
        return InetAddress.getLocalHost().getHostName();
    }

    @Test
    public void aServerOfNamesThatTheSystemKnows() throws IOException {
        MuffinResolver.init(new String[] {name()});
        MuffinResolver.init(null);
    }

    /** Nobody waits for its answer. */
    @Test
    public void theServerOfNamesOfAProperty() throws Exception {
        System.setProperty("dns.server1", name());
        try (URLClassLoader loader = Packaged.loader(Packaged.jar(folder.getRoot().toPath().resolve("muffin.jar"), Main.class, "other.txt", new byte[0]))) {
            Class<?> dns = Class.forName("org.xbill.DNS.dns", true, loader);
            Method records = dns.getMethod("getRecords", String.class, short.class);
            Class.forName("org.xbill.DNS.SimpleResolver", true, loader);
            Thread t = new Thread(() -> {
                try {
                    records.invoke(null, "host.example.", Type.A);
                } catch (ReflectiveOperationException e) {
                    return;
                }
            }, "asks for a name");
            t.setDaemon(true);
            t.start();
            t.join(1500);
        } finally {
            System.clearProperty("dns.server1");
        }
    }

    @Test
    public void aFilterThatClosesAConnection() throws IOException {
        File home = folder.newFolder("home");
        Socket idle = Odd.connected(new byte[0], 20000);
        Odd.supplied = () -> {
            idle.close();
            return Odd.text("hello");
        };
        assertTrue(Delivered.ask(home, "Supplying", "http://127.0.0.1/page").endsWith("hello"));
    }
}
