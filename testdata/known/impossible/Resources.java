package impossible;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.util.Properties;

/** A resource of the class path is no address of another machine, also where an object keeps its stream. */
public class Resources {
    static Properties ofResource() {
        Properties p = new Properties();
        try (InputStream in = Resources.class.getResourceAsStream("a.properties")) {
            p.load(in);
        } catch (IOException e) { //@ includes("java.io.FileInputStream.readBytes","java.util.zip.InflaterInputStream.read") excludes[obj-dr]("sun.nio.ch.NioSocketImpl.implRead","sun.net.www.http.ChunkedInputStream.processRaw") includes[pta]("sun.nio.ch.NioSocketImpl.implRead")
            p.clear();
        }
        return p;
    }

    static String line() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Resources.class.getClassLoader().getResourceAsStream("list")))) {
            return in.readLine();
        } catch (IOException e) { //@ includes("java.io.FileInputStream.readBytes") excludes[obj-dr]("sun.nio.ch.NioSocketImpl.implRead")
            return "";
        }
    }

    static Properties ofAddress(String address) {
        Properties p = new Properties();
        try (InputStream in = new URL(address).openStream()) {
            p.load(in);
        } catch (IOException e) { //@ includes("java.io.FileInputStream.readBytes","sun.nio.ch.NioSocketImpl.implRead","sun.net.www.http.ChunkedInputStream.processRaw")
            p.clear();
        }
        return p;
    }

    public static void main(String[] args) {
        System.out.println(ofResource().size() + ofAddress(args[0]).size() + line());
    }
}
