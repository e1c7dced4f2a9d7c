package exceptions;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;

/** doPrivileged lets unchecked exceptions through and wraps checked ones. */
@SuppressWarnings({"deprecation", "removal"})
public class Privileged {
    static class Plain extends RuntimeException {
    }

    static class Unchecked extends RuntimeException {
    }

    static class Checked extends Exception {
    }

    static int count;

    static class Action implements PrivilegedAction<String> {
        @Override
        public String run() {
            throw new Plain(); //@ site("plain")
        }
    }

    static class ExceptionAction implements PrivilegedExceptionAction<String> {
        @Override
        public String run() throws Checked {
            if (count > 2) {
                throw new Unchecked(); //@ site("unchecked")
            }
            throw new Checked(); //@ site("checked")
        }
    }

    public static void main(String[] args) {
        try {
            AccessController.doPrivileged(new Action());
        } catch (Plain e) { //@ includes("plain") links[pta+]("plain")
            count++;
        }
        try {
            AccessController.doPrivileged(new ExceptionAction());
        } catch (Unchecked e) { //@ includes("unchecked") links[pta+]("unchecked")
            count++;
        } catch (PrivilegedActionException e) { //@ includes[jdk17]("java/security/AccessController.doPrivileged") includes[jdk25]("java/security/AccessController.doPrivileged") excludes("checked", "unchecked", "plain")
            count++;
        }
    }
}
