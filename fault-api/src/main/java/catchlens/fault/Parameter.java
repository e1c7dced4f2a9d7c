package catchlens.fault;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** What a fault strikes, and which of the operations there. */
public final class Parameter {
    final String name;
    final String value;

    private Parameter(String name, String value) {
        this.name = name;
        this.value = value;
    }

    /** A file or folder; one that ends in a slash stands for everything below it. */
    public static Parameter path(String path) {
        String absolute = new File(path).getAbsolutePath();
        return new Parameter("path", path.endsWith("/") ? absolute + "/" : absolute);
    }

    /** A file or folder. */
    public static Parameter path(Path path) {
        return path(path.toString());
    }

    /** A file or folder. */
    public static Parameter path(File file) {
        return path(file.getPath());
    }

    /** Connections to this address: "host:port", or "host" for all its ports. A name is resolved now. */
    public static Parameter peer(String address) {
        int colon = address.lastIndexOf(':');
        boolean bare = colon < 0 || address.indexOf(':') != colon && !address.startsWith("[");
        String host = bare ? address : address.substring(0, colon);
        try {
            return peer(InetAddress.getByName(host), bare ? 0 : Integer.parseInt(address.substring(colon + 1)));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no such host: " + host, e);
        }
    }

    /** Connections to this address. */
    public static Parameter peer(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("no such host: " + address.getHostString());
        }
        return peer(address.getAddress(), address.getPort());
    }

    private static Parameter peer(InetAddress host, int port) {
        String h = host.getHostAddress();
        int scope = h.indexOf('%');
        h = scope < 0 ? h : h.substring(0, scope);
        return new Parameter("peer", (h.indexOf(':') < 0 ? h : "[" + h + "]") + ":" + port);
    }

    /** Only what the calling thread does. */
    public static Parameter thisThread() {
        return new Parameter("thread", "mine");
    }

    /** The first n matching operations succeed. */
    public static Parameter skip(int n) {
        return new Parameter("skip", Integer.toString(n));
    }

    /** The fault is over after it has struck n times. */
    public static Parameter times(int n) {
        return new Parameter("times", Integer.toString(n));
    }
}
