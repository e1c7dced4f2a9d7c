package impossible;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.FileVisitor;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;

/** A constant argument decides whether a method throws; another argument does not. */
public class Arguments {
    static int checked(int size, boolean strict) throws IOException {
        if (strict && size > 4) {
            throw new IOException("too large");
        }
        return size;
    }

    static int passed(int size, boolean strict) throws IOException {
        return checked(size + 1, strict);
    }

    static int lenient(int size) {
        try {
            return checked(size, false);
        } catch (IOException e) { //@ excludes[obj-dr]("impossible.Arguments.checked") includes[pta]("impossible.Arguments.checked")
            return 0;
        }
    }

    static int lenientBelow(int size) {
        try {
            return passed(size, false);
        } catch (IOException e) { //@ excludes[obj-dr]("impossible.Arguments.checked")
            return 0;
        }
    }

    static int strict(int size) {
        try {
            return passed(size, true);
        } catch (IOException e) { //@ includes("impossible.Arguments.checked")
            return 0;
        }
    }

    static int asked(int size, boolean strict) {
        try {
            return passed(size, strict);
        } catch (IOException e) { //@ includes("impossible.Arguments.checked")
            return 0;
        }
    }

    static void option(Socket s) {
        try {
            s.setSoLinger(true, 3);
        } catch (SocketException e) { //@ includes("java.net.Socket.setSoLinger","sun.nio.ch.NioSocketImpl.ensureOpen")
            System.out.println(e);
        }
    }

    static void left(FileVisitor<Path> visitor, Path dir) {
        try {
            visitor.postVisitDirectory(dir, null);
        } catch (IOException e) { //@ excludes[obj-dr]("java.nio.file.SimpleFileVisitor.postVisitDirectory") includes[pta]("java.nio.file.SimpleFileVisitor.postVisitDirectory")
            System.out.println(e);
        }
    }

    static void leftEarly(FileVisitor<Path> visitor, Path dir) {
        try {
            visitor.postVisitDirectory(dir, new IOException("early"));
        } catch (IOException e) { //@ includes("java.nio.file.SimpleFileVisitor.postVisitDirectory")
            System.out.println(e);
        }
    }

    public static void main(String[] args) throws IOException {
        int n = args.length;
        System.out.println(lenient(n) + lenientBelow(n) + strict(n) + asked(n, n > 2));
        option(new Socket());
        left(new SimpleFileVisitor<>() { }, Path.of("a"));
        leftEarly(new SimpleFileVisitor<>() { }, Path.of("b"));
    }
}
