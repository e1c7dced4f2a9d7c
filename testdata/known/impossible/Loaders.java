package impossible;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Properties;

/** Where a program makes a class loader of its own, a resource may be anywhere. */
public class Loaders {
    static class Own extends ClassLoader {
        @Override
        protected URL findResource(String name) {
            try {
                return new URL(System.getProperty("own.address") + name);
            } catch (IOException e) { //@ includes("java.net.URL.<init>")
                return null;
            }
        }
    }

    static Properties ofResource(ClassLoader from) {
        Properties p = new Properties();
        try (InputStream in = from.getResourceAsStream("a.properties")) {
            p.load(in);
        } catch (IOException e) { //@ includes("java.io.FileInputStream.readBytes","sun.nio.ch.NioSocketImpl.implRead","sun.net.www.http.ChunkedInputStream.processRaw")
            p.clear();
        }
        return p;
    }

    public static void main(String[] args) {
        System.out.println(ofResource(Loaders.class.getClassLoader()).size());
        System.out.println(ofResource(new Own()).size());
    }
}
