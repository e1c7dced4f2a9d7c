package org.doit.muffin;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import org.xbill.DNS.Type;
import org.xbill.DNS.dns;
import served.Packaged;

/**
 * Workload 4 of Muffin: what its first three leave open, by what catchlens says of the links that they do not
 * cover. Its own files from its jar, as they are; logs that grow, to the last entry; names that the system knows.
 */
public class Muffin4Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    @Test
    public void itsFilesInTheJarAsTheyAre() throws Exception {
        URL jar = Packaged.jar(folder.getRoot().toPath().resolve("muffin.jar"), Main.class, "doc/more.txt", "hello".getBytes()).toUri().toURL();
        URL tests = Muffin4Workload.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar, tests}, ClassLoader.getSystemClassLoader().getParent())) {
            Object said = Class.forName("org.doit.muffin.Delivered", true, loader).getMethod("ask", File.class, String.class, String[].class)
                    .invoke(null, folder.newFolder("home"), "", new String[] {"/images/muffin.jpg", "/doc/more.txt"});
            assertTrue(((String) said).endsWith("hello"));
        }
    }

    /** The entry of a request is written after its answer has been sent. */
    @Test
    public void logsThatGrowToTheLastEntry() throws IOException {
        File home = folder.newFolder("home");
        File old = new File(home, "muffin.log.1.gz");
        for (int i = 0; i < 5; i++) {
            File log = new File(home, "muffin.log");
            long before = log.length();
            assertFalse(Delivered.ask(home, "", "/nothing").isEmpty());
            for (int k = 0; k < 100 && (log.length() == 0 || log.length() == before && !old.exists()); k++) {
                Delivered.pause(20);
            }
        }
        for (int k = 0; k < 100 && !old.exists(); k++) {
            Delivered.pause(20);
        }
        assertTrue(old.exists());
    }

    @Test
    public void namesOfThisMachine() throws IOException {
        String name = InetAddress.getLocalHost().getHostName();
        MuffinResolver.init(new String[] {name});
        MuffinResolver.init(null);
        try (Delivered d = new Delivered(folder.newFolder("home"), "")) {
            Main.options.putString("muffin.bindaddress", name);
            Server second = new Server(0, new TextMonitor("second"), Main.manager, Main.options);
            second.server.close();
        }
    }

    /** Nobody waits for the servers of names that the system names: where there are none, it takes long to find out. */
    @Test
    public void theServersOfNamesOfTheSystem() throws Exception {
        Thread t = new Thread(() -> dns.getRecords("host.example.", Type.A));
        t.setDaemon(true);
        t.start();
        t.join(1000);
    }
}
