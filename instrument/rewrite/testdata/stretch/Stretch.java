import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Catches to be stretched to Exception. Each method is called with 0 (nothing is
 * thrown), 1 (what the clause takes) and 2 (what it takes only when stretched). A
 * comment at the clause says what becomes of it: "//@ yes", or why not.
 */
public class Stretch {
    static class Coded extends IOException {
        int field = 7;

        int code() { return 5; }

        @Override public String getMessage() { return "coded"; }
    }

    interface Named { default String label() { return "named"; } }

    static class NamedException extends Exception implements Named {
        @Override public synchronized NamedException getCause() { return null; }
    }

    static void io(int kind) throws IOException {
        if (kind == 1) throw new FileNotFoundException("one");
        if (kind == 2) throw new IllegalStateException("two");
    }

    static void coded(int kind) throws IOException {
        if (kind == 1) throw new Coded();
        if (kind == 2) throw new IllegalStateException("two");
    }

    static void named(int kind) throws NamedException {
        if (kind == 1) throw new NamedException();
        if (kind == 2) throw new IllegalStateException("two");
    }

    static String ignored(int kind) {
        try {
            io(kind);
            return "fine";
        } catch (IOException e) { //@ yes
            return "clause";
        }
    }

    static String message(int kind) {
        String s = "fine";
        try {
            io(kind);
        } catch (IOException e) { //@ yes
            s = "clause " + e.getMessage() + e.toString().length() + e.getCause() + e.getClass().getSimpleName();
        }
        return s;
    }

    static String overridden(int kind) {
        try {
            coded(kind);
        } catch (Coded e) { //@ yes
            return "clause " + e.getMessage();
        } catch (IOException e) {
            return "other";
        }
        return "fine";
    }

    static String wrapped(int kind) {
        try {
            try {
                io(kind);
            } catch (IOException e) { //@ yes
                throw new RuntimeException("clause", e);
            }
        } catch (RuntimeException e) {
            if (e.getMessage().equals("clause")) return "clause " + e.getCause().getMessage();
            throw e;
        }
        return "fine";
    }

    static String joined(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ yes
            return "clause " + e + kind + 2L + e;
        }
        return "fine";
    }

    static String loops(int kind) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            long wide = i;
            try {
                io(i == 1 ? kind : 0);
                b.append(wide);
            } catch (IOException e) { //@ yes
                for (StackTraceElement f : e.getStackTrace()) {
                    if (f.getMethodName().isEmpty()) e.printStackTrace();
                }
                b.append(e.getMessage() == null ? "none" : e.getLocalizedMessage());
                try {
                    if (b.length() > 0) throw new Coded();
                } catch (Coded f) {
                    b.append(e.getMessage()).append(f.code());
                } finally {
                    b.append(e.getMessage().length());
                }
            }
        }
        String s = b.toString();
        return s.equals("012") ? "fine" : "clause " + s;
    }

    static String finals(int kind) {
        StringBuilder b = new StringBuilder();
        try {
            try {
                io(kind);
                if (kind == 0) return "fine";
            } catch (IOException e) { //@ yes
                b.append("clause ").append(e.getMessage());
                return b.toString();
            } finally {
                b.append("finally");
            }
        } catch (Error e) {
            return "error";
        }
        return "none";
    }

    static String alternatives(int kind) {
        try {
            io(kind);
            if (kind == 7) throw new InterruptedException();
        } catch (IOException | InterruptedException e) { //@ yes
            return "clause " + e.getMessage();
        }
        return "fine";
    }

    static String related(int kind) {
        try {
            io(kind);
            if (kind == 7) throw new java.rmi.RemoteException();
            if (kind == 8) throw new FileNotFoundException();
        } catch (FileNotFoundException | java.rmi.RemoteException e) { //@ yes
            return "clause " + e.getMessage();
        } catch (IOException e) {
            return "other " + e.getMessage();
        }
        return "fine";
    }

    static String varargs(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ yes
            return String.format("clause %s %d", e, kind);
        }
        return "fine";
    }

    static String printed(int kind) {
        StringWriter w = new StringWriter();
        try {
            io(kind);
        } catch (IOException e) { //@ yes
            e.printStackTrace(new PrintWriter(w, true));
            Throwable t = e;
            while (t.getCause() != null) t = t.getCause();
            return "clause " + (t instanceof FileNotFoundException) + w.toString().startsWith(e.getClass().getName());
        }
        return "fine";
    }

    static String nested(int kind) {
        try {
            try {
                io(kind);
            } catch (FileNotFoundException e) { //@ yes
                return "clause";
            }
        } catch (IOException e) {
            return "outer";
        } catch (RuntimeException e) {
            if (kind == 2) throw e;
        }
        return "fine";
    }

    static String resources(int kind) {
        try (StringWriter w = new StringWriter(); StringWriter x = w) {
            io(kind);
            return "fine";
        } catch (IOException e) { //@ yes
            return "clause " + e.getSuppressed().length;
        } finally {
            if (kind > 5) System.out.println();
        }
    }

    static String synchronised(int kind) {
        synchronized (Stretch.class) {
            try {
                io(kind);
            } catch (IOException e) { //@ yes
                synchronized (e) {
                    return "clause";
                }
            }
        }
        return "fine";
    }

    static String conditional(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ yes
            Exception x = kind == 1 ? e : new IllegalStateException("other");
            return "clause " + x.getMessage() + (e == x);
        }
        return "fine";
    }

    static String reassigned(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ yes
            if (kind == 1) e = new Coded();
            return "clause " + e.getMessage();
        }
        return "fine";
    }

    static String inLambda(int kind) {
        Supplier<String> s = () -> {
            try {
                io(kind);
                return "fine";
            } catch (IOException e) { //@ yes
                return "clause " + e.getMessage();
            }
        };
        return s.get();
    }

    static String unchecked(int kind) {
        try {
            if (kind == 1) throw new UncheckedIOException("one", new IOException("cause"));
            io(kind);
        } catch (UncheckedIOException e) { //@ yes
            return "clause " + e.getMessage();
        } catch (IOException e) {
            return "other";
        }
        return "fine";
    }

    static String own(int kind) {
        try {
            coded(kind);
        } catch (Coded e) { //@ calls Stretch$Coded.code, which java.lang.Exception does not have
            return "clause " + e.code();
        } catch (IOException e) {
            return "other";
        }
        return "fine";
    }

    static String field(int kind) {
        try {
            coded(kind);
        } catch (Coded e) { //@ uses the field Stretch$Coded.field
            return "clause " + e.field;
        } catch (IOException e) {
            return "other";
        }
        return "fine";
    }

    static String covariant(int kind) {
        try {
            named(kind);
        } catch (NamedException e) { //@ calls Stretch$NamedException.getCause, which java.lang.Exception does not have
            return "clause " + e.getCause();
        }
        return "fine";
    }

    static String throughInterface(int kind) {
        try {
            named(kind);
        } catch (NamedException e) { //@ passes the exception to Stretch.labelOf as Stretch$Named
            return "clause " + labelOf(e);
        }
        return "fine";
    }

    static String labelOf(Named n) { return n.label(); }

    static String inherited(int kind) {
        try {
            named(kind);
        } catch (NamedException e) { //@ calls Stretch$NamedException.label, which java.lang.Exception does not have
            return "clause " + e.label();
        }
        return "fine";
    }

    static IOException last;

    static String kept(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ keeps the exception in a field of type java.io.IOException
            last = e;
            return "clause";
        }
        return "fine";
    }

    static String variable(int kind) {
        IOException first = null;
        try {
            io(kind);
        } catch (IOException e) { //@ keeps the exception in first, which is declared as java.io.IOException
            first = e;
        }
        return first == null ? "fine" : "clause " + first.getMessage();
    }

    static IOException returned(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ returns the exception as java.io.IOException
            return e;
        }
        return null;
    }

    static String array(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ puts the exception into an array of java.io.IOException
            IOException[] all = {e};
            return "clause " + all.length;
        }
        return "fine";
    }

    static String passed(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ passes the exception to java.io.UncheckedIOException.<init> as java.io.IOException
            throw new UncheckedIOException(e);
        }
        return "fine";
    }

    static String captured(int kind) {
        try {
            io(kind);
        } catch (IOException e) { //@ a lambda or method reference captures the exception
            Supplier<String> s = () -> e.getMessage();
            return "clause " + s.get();
        }
        return "fine";
    }

    static String local(int kind) {
        List<Throwable> all = new ArrayList<>();
        try {
            io(kind);
        } catch (IOException e) { //@ yes
            all.add(e);
            return "clause " + all.get(0).getMessage();
        }
        return "fine";
    }

    interface Shape { Object of(int kind) throws Exception; }

    static void print(String name, Shape s) {
        for (int kind = 0; kind < 3; kind++) {
            Object result;
            try {
                result = s.of(kind);
            } catch (Throwable e) {
                result = "out " + e.getClass().getSimpleName();
            }
            System.out.println(name + " " + kind + " " + result);
        }
    }

    public static void main(String[] args) {
        print("ignored", Stretch::ignored);
        print("message", Stretch::message);
        print("overridden", Stretch::overridden);
        print("wrapped", Stretch::wrapped);
        print("joined", Stretch::joined);
        print("loops", Stretch::loops);
        print("finals", Stretch::finals);
        print("alternatives", Stretch::alternatives);
        print("related", Stretch::related);
        print("varargs", Stretch::varargs);
        print("printed", Stretch::printed);
        print("nested", Stretch::nested);
        print("resources", Stretch::resources);
        print("synchronised", Stretch::synchronised);
        print("conditional", Stretch::conditional);
        print("reassigned", Stretch::reassigned);
        print("inLambda", Stretch::inLambda);
        print("unchecked", Stretch::unchecked);
        print("local", Stretch::local);
    }
}
