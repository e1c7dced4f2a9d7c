package fi.iki.elonen;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;

import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import served.Packaged;

/**
 * Workload 2 of NanoHTTPD: what its first workload leaves open, by what catchlens says of the links that it
 * does not cover. Requests in parts, a console that is a file, the program in its jar.
 */
public class Nano2Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    @Test
    public void aRequestInParts() throws Exception {
        Files.write(folder.newFile("index.html").toPath(), "<h1>hello</h1>".getBytes());
        SimpleWebServer files = new SimpleWebServer("127.0.0.1", 0, folder.getRoot(), true);
        files.start(3000, true);
        try (Socket s = new Socket(InetAddress.getByName("127.0.0.1"), files.getListeningPort())) {
            s.setSoTimeout(10000);
            OutputStream out = s.getOutputStream();
            for (String part : new String[] {"GET /index.html HT", "TP/1.1\r\nHost: localhost\r\nConn", "ection: close\r\n\r\n"}) {
                out.write(part.getBytes());
                out.flush();
                Thread.sleep(50);
            }
            assertTrue(all(s.getInputStream()).endsWith("<h1>hello</h1>"));
        } finally {
            files.stop();
        }
    }

    @Test
    public void theConsoleIsAFile() throws Exception {
        Path keys = Files.write(folder.newFile("keys").toPath(), "\n".getBytes());
        InputStream before = System.in;
        try (InputStream in = new BufferedInputStream(new FileInputStream(keys.toFile()))) {
            System.setIn(in);
            fi.iki.elonen.util.ServerRunner.executeInstance(new SimpleWebServer("127.0.0.1", 0, folder.getRoot(), true));
        } finally {
            System.setIn(before);
        }
    }

    @Test
    public void theLicenseInTheJar() throws Exception {
        Path jar = jar("LICENSE.txt", "do what you like");
        try (URLClassLoader loader = Packaged.loader(jar)) {
            Class<?> server = Class.forName("fi.iki.elonen.SimpleWebServer", true, loader);
            assertEquals(loader, server.getClassLoader());
        }
    }

    @Test
    public void theLicenseInAFolder() throws Exception {
        Path jar = jar("other.txt", "");
        Files.write(folder.newFile("LICENSE.txt").toPath(), "do what you like".getBytes());
        URL[] both = {jar.toUri().toURL(), folder.getRoot().toURI().toURL()};
        try (URLClassLoader loader = new URLClassLoader(both, ClassLoader.getSystemClassLoader().getParent())) {
            Class<?> server = Class.forName("fi.iki.elonen.SimpleWebServer", true, loader);
            assertEquals(loader, server.getClassLoader());
        }
    }

    @Test
    public void typesInTheJar() throws Exception {
        Path jar = jar("META-INF/nanohttpd/mimetypes.properties", "md=text/markdown\n");
        try (URLClassLoader loader = Packaged.loader(jar)) {
            assertEquals("text/markdown", typesOf(loader).get("md"));
        }
    }

    /** A loader that knows which files plug-ins have, and holds none of their jars open. */
    @Test
    public void typesOfAPlugin() throws Exception {
        URL types;
        Path plugin = Packaged.jar(folder.getRoot().toPath().resolve("plugin.jar"), Nano2Workload.class, "META-INF/nanohttpd/mimetypes.properties",
                "adoc=text/asciidoc\n".getBytes());
        try (URLClassLoader finder = Packaged.loader(plugin)) {
            types = finder.findResource("META-INF/nanohttpd/mimetypes.properties");
        }
        Path jar = jar("other.txt", "");
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getSystemClassLoader().getParent()) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.endsWith("/mimetypes.properties") ? Collections.enumeration(Collections.singleton(types)) : super.getResources(name);
            }
        }) {
            assertEquals("text/asciidoc", typesOf(loader).get("adoc"));
        }
    }

    private Path jar(String name, String content) throws Exception {
        return Packaged.jar(folder.getRoot().toPath().resolve("server.jar"), NanoHTTPD.class, name, content.getBytes());
    }

    private static Map<?, ?> typesOf(ClassLoader loader) throws Exception {
        return (Map<?, ?>) Class.forName("fi.iki.elonen.NanoHTTPD", true, loader).getMethod("mimeTypes").invoke(null);
    }

    private static String all(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        for (int n; (n = in.read(buffer)) >= 0;) {
            all.write(buffer, 0, n);
        }
        return all.toString("ISO-8859-1");
    }
}
