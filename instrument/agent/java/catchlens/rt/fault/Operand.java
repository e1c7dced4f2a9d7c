package catchlens.rt.fault;

import catchlens.rt.load.Modules;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** What a native operation is about, by what it is given. */
public final class Operand {
    private Operand() {}

    /** Whether it is one of the JVM's standard streams, which no program opened. */
    static boolean standard(Object[] about) {
        for (Object o : about) {
            FileDescriptor fd = descriptor(o);
            if (fd != null && (fd == FileDescriptor.in || fd == FileDescriptor.out || fd == FileDescriptor.err)) {
                return true;
            }
        }
        return false;
    }

    private static FileDescriptor descriptor(Object o) {
        try {
            if (o instanceof FileDescriptor) {
                return (FileDescriptor) o;
            }
            if (o instanceof FileInputStream) {
                return ((FileInputStream) o).getFD();
            }
            if (o instanceof FileOutputStream) {
                return ((FileOutputStream) o).getFD();
            }
            if (o instanceof RandomAccessFile) {
                return ((RandomAccessFile) o).getFD();
            }
        } catch (java.io.IOException e) {
            return null; // it is being opened
        }
        return null;
    }

    /** The path, host or peer that an operation is about; null if that is not known. */
    static String describe(Object[] about) {
        for (Object o : about) {
            if (o instanceof String) {
                return (String) o;
            }
            if (o instanceof java.io.File || o instanceof java.nio.file.Path) {
                return o.toString();
            }
            if (o instanceof java.net.InetAddress) {
                return ((java.net.InetAddress) o).getHostAddress();
            }
        }
        for (Object o : about) {
            try {
                FileDescriptor fd = descriptor(o);
                if (fd != null && fd.valid()) {
                    return open(fd);
                }
            } catch (Throwable t) {
                return null;
            }
        }
        return null;
    }

    private static Field number;

    /** What an open descriptor leads to, as Linux says. */
    private static String open(FileDescriptor fd) throws Exception {
        if (number == null) {
            Modules.open(FileDescriptor.class);
            Field f = FileDescriptor.class.getDeclaredField("fd");
            f.setAccessible(true);
            number = f;
        }
        java.nio.file.Path link = java.nio.file.Paths.get("/proc/self/fd/" + number.getInt(fd));
        String to = java.nio.file.Files.readSymbolicLink(link).toString();
        return to.startsWith("socket:") ? remote(fd, to) : to;
    }

    private static Method remoteAddress;

    private static String remote(FileDescriptor fd, String otherwise) {
        try {
            if (remoteAddress == null) {
                Class<?> net = Class.forName("sun.nio.ch.Net", true, null);
                Modules.open(net);
                Method m = net.getDeclaredMethod("remoteAddress", FileDescriptor.class);
                m.setAccessible(true);
                remoteAddress = m;
            }
            java.net.InetSocketAddress a = (java.net.InetSocketAddress) remoteAddress.invoke(null, fd);
            return a.getAddress().getHostAddress() + ":" + a.getPort();
        } catch (Throwable t) {
            return otherwise; // not connected
        }
    }

    /** The name that the operation was given. */
    static String given(Object[] about) {
        for (Object o : about) {
            if (o instanceof String) {
                return (String) o;
            }
        }
        String d = describe(about);
        return d == null ? "" : d;
    }
}
