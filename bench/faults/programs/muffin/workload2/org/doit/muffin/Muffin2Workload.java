package org.doit.muffin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import gnu.regexp.RE;
import java.io.FileInputStream;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URL;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import org.xbill.DNS.DClass;
import org.xbill.DNS.FindServer;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.ResolverListener;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;
import sdsu.util.SimpleTokenizer;
import sdsu.util.TokenCharacters;
import served.Addresses;

/**
 * Workload 2 of Muffin: what its first workload leaves open, by what catchlens says of the links that it
 * does not cover. Its settings at addresses of each kind, streams of each kind for its libraries, its resolver.
 */
public class Muffin2Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private Path root() {
        return folder.getRoot().toPath();
    }

    @Test
    public void autoConfigurations() throws Exception {
        Addresses.each(root(), ".*/other/.* other.conf\n".getBytes(), location -> {
            Configuration c = new Configuration();
            c.setAutoConfigFile(location);
            c.load();
        });
    }

    @Test
    public void preferences() throws Exception {
        Addresses.each(root(), "a=b\n".getBytes(), location -> {
            UserPrefs p = new UserPrefs(location);
            p.load();
            assertEquals("b", p.getString("a"));
        });
    }

    private static InputStream stream(String location) throws Exception {
        return location.contains(":") ? new URL(location).openStream() : new FileInputStream(location);
    }

    @Test
    public void searchedStreams() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            text.append("some text ");
        }
        RE re = new RE(text + "!");
        Addresses.each(root(), ("before " + text + "!").getBytes(), location -> {
            try (InputStream in = stream(location)) {
                re.getMatch(in);
            }
        });
    }

    @Test
    public void tokensOfStreams() throws Exception {
        Addresses.each(root(), " # comment\n word".getBytes(), location -> {
            try (InputStream in = stream(location)) {
                assertTrue(new SimpleTokenizer(in, new TokenCharacters("", "#", '"', '"', " \n")).hasMoreTokens());
            }
        });
    }

    /** Whoever asks gets the question back, as an answer. */
    private static DatagramSocket names() throws Exception {
        DatagramSocket s = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"));
        Thread t = new Thread(() -> {
            try {
                while (true) {
                    DatagramPacket p = new DatagramPacket(new byte[512], 512);
                    s.receive(p);
                    Thread.sleep(50);
                    p.getData()[2] |= (byte) 0x80;
                    s.send(p);
                }
            } catch (java.io.IOException | InterruptedException closed) {
                return;
            }
        });
        t.setDaemon(true);
        t.start();
        return s;
    }

    private static Message question() {
        return Message.newQuery(Record.newRecord(new Name("host.example."), Type.A, DClass.IN));
    }

    @Test
    public void aNameIsAskedFor() throws Exception {
        try (DatagramSocket s = names()) {
            SimpleResolver r = new SimpleResolver("127.0.0.1");
            r.setPort(s.getLocalPort());
            r.setTimeout(3);
            assertEquals("host.example.", r.send(question()).getQuestion().getName().toString());
        }
    }

    @Test
    public void aNameIsAskedForMeanwhile() throws Exception {
        try (DatagramSocket s = names()) {
            SimpleResolver r = new SimpleResolver("127.0.0.1");
            r.setPort(s.getLocalPort());
            r.setTimeout(3);
            CountDownLatch done = new CountDownLatch(1);
            r.sendAsync(question(), new ResolverListener() {
                @Override
                public void receiveMessage(Object id, Message m) {
                    done.countDown();
                }

                @Override
                public void handleException(Object id, Exception e) {
                    done.countDown();
                }
            });
            assertTrue(done.await(10, TimeUnit.SECONDS));
        }
    }

    @Test
    public void theSystemsServers() {
        FindServer.servers();
    }
}
