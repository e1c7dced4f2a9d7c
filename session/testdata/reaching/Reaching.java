package reaching;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Catches below which files and peers are used; the comment says which kinds of faults can come to each. */
public class Reaching {
    public static void main(String[] args) throws Exception {
        url(args[0]);
        digest();
        move(Path.of(args[0]), Path.of(args[1]));
        files(Path.of(args[0]));
        stream(args[0]);
        connect(args[0]);
    }

    static void url(String location) throws IOException {
        try (InputStream in = new URL(location).openStream()) {
            in.read();
        } catch (MalformedURLException e) { //@ none
            System.out.println("no address");
        }
    }

    static void digest() {
        try {
            MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) { //@ none
            System.out.println("no digest");
        }
    }

    static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) { //@ none
            System.out.println("not atomic");
        }
    }

    static void files(Path file) throws IOException {
        try {
            Files.delete(file);
        } catch (NoSuchFileException e) { //@ only missing
            System.out.println("gone");
        } catch (AccessDeniedException e) { //@ only permission
            System.out.println("not allowed");
        } catch (IOException e) { //@ some disk-write
            System.out.println("other");
        }
    }

    static void stream(String file) throws IOException {
        try (FileInputStream in = new FileInputStream(file)) {
            in.read();
        } catch (FileNotFoundException e) { //@ some missing permission open-files
            System.out.println("no file");
        }
    }

    static void connect(String host) throws IOException {
        try (Socket s = new Socket(host, 80)) {
            s.setSoTimeout(10);
            s.getInputStream().read();
        } catch (UnknownHostException e) { //@ only name-resolution
            System.out.println("no host");
        } catch (SocketTimeoutException e) { //@ only read-timed-out
            System.out.println("late");
        } catch (SocketException e) { //@ some reset connect-refused
            System.out.println("no peer");
        }
    }
}
