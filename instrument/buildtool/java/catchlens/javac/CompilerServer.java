package catchlens.javac;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles on request and stays alive between requests, so that the compiler's
 * own code is loaded and warm. Runs on every JDK from 8 on.
 *
 * <p>Standard input and output carry frames: a length (4 bytes, big-endian),
 * then that many bytes. Strings are a 4-byte length and UTF-8. Requests:
 *
 * <pre>
 *   1 compile: id, options[], output folder, generated sources folder or "", files[], charset
 *   2 cancel:  id
 *   3 end
 * </pre>
 *
 * Answers: 0 ready (once: compiler version); 1 result (id, success,
 * diagnostics[], outputs[], trouble).
 * What compilers and annotation processors print goes to standard error.
 */
public final class CompilerServer {
    private static final int COMPILE = 1;
    private static final int CANCEL = 2;
    private static final int END = 3;
    private static final int MAX_FRAME = 256 << 20;
    private static final int MAX_DIAGNOSTICS = 5000;

    private final DataOutputStream out;
    private final LinkedBlockingQueue<byte[]> requests = new LinkedBlockingQueue<byte[]>();
    private final AtomicInteger cancelled = new AtomicInteger();

    private CompilerServer(DataOutputStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        long idle = args.length > 0 ? Long.parseLong(args[0]) : 600;
        InputStream in = System.in;
        PrintStream real = System.out;
        System.setIn(new ByteArrayInputStream(new byte[0]));
        System.setOut(System.err);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        CompilerServer server = new CompilerServer(new DataOutputStream(new BufferedOutputStream(real, 1 << 16)));
        if (compiler == null) {
            System.err.println("this Java has no compiler");
            System.exit(3);
        }
        server.ready();
        Thread reader = new Thread(() -> server.read(new DataInputStream(new BufferedInputStream(in))), "requests");
        reader.setDaemon(true);
        reader.start();
        server.serve(compiler, idle);
        System.exit(0);
    }

    private void ready() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream d = new DataOutputStream(bytes);
        d.writeByte(0);
        writeString(d, System.getProperty("java.version", ""));
        send(bytes);
    }

    /** Reads frames; a cancellation counts at once, the rest is queued. */
    private void read(DataInputStream in) {
        try {
            while (true) {
                int length = in.readInt();
                if (length < 1 || length > MAX_FRAME) {
                    throw new IOException("frame of " + length + " bytes");
                }
                byte[] frame = new byte[length];
                in.readFully(frame);
                if (frame[0] == CANCEL) {
                    cancelled.set(new DataInputStream(new ByteArrayInputStream(frame, 1, length - 1)).readInt());
                } else {
                    requests.add(frame);
                }
            }
        } catch (EOFException e) {
            requests.add(new byte[] {END});
        } catch (IOException e) {
            System.err.println(e);
            requests.add(new byte[] {END});
        }
        // The other side is gone: a compilation under way is of no use.
        try {
            Thread.sleep(5000);
        } catch (InterruptedException e) {
            return;
        }
        Runtime.getRuntime().halt(0);
    }

    private void serve(JavaCompiler compiler, long idleSeconds) throws Exception {
        while (true) {
            byte[] frame = requests.poll(idleSeconds, TimeUnit.SECONDS);
            if (frame == null || frame[0] == END) {
                return;
            }
            DataInputStream d = new DataInputStream(new ByteArrayInputStream(frame));
            if (d.readByte() == COMPILE) {
                compile(compiler, d);
            }
        }
    }

    private void compile(JavaCompiler compiler, DataInputStream d) throws IOException {
        int id = d.readInt();
        List<String> options = readStrings(d);
        File output = new File(readString(d));
        String generated = readString(d);
        List<String> files = readStrings(d);
        String encoding = readString(d);
        Found found = new Found();
        Map<String, String> produced = Collections.synchronizedMap(new LinkedHashMap<String, String>());
        boolean ok = false;
        String trouble = "";
        StringWriter words = new StringWriter();
        try {
            Charset charset = encoding.isEmpty() ? null : Charset.forName(encoding);
            try (StandardJavaFileManager standard = compiler.getStandardFileManager(found, Locale.ENGLISH, charset)) {
                List<String> all = new ArrayList<String>(options);
                Collections.addAll(all, "-d", output.getPath());
                if (!generated.isEmpty()) {
                    Collections.addAll(all, "-s", generated);
                }
                Iterable<? extends JavaFileObject> units = standard.getJavaFileObjectsFromStrings(files);
                Recording manager = new Recording(standard, output, produced, id, cancelled);
                ok = compiler.getTask(new PrintWriter(words), manager, found, all, null, units).call();
            }
        } catch (IllegalArgumentException e) {
            trouble = "the compiler rejects the options: " + e.getMessage();
        } catch (IllegalStateException e) {
            trouble = cancelled.get() == id ? "cancelled" : "the compiler cannot run: " + e.getMessage();
        } catch (OutOfMemoryError e) {
            trouble = "out of memory";
        } catch (StackOverflowError e) {
            trouble = "the sources are nested too deeply for the compiler's stack";
        } catch (Throwable e) {
            Throwable root = root(e); // an annotation processor's end comes wrapped
            if (cancelled.get() == id) {
                trouble = "cancelled";
            } else if (root instanceof OutOfMemoryError) {
                trouble = "out of memory";
            } else {
                trouble = "the compiler failed: " + describe(root);
            }
        }
        if (!ok && trouble.isEmpty() && found.list.isEmpty()) {
            trouble = words.toString().trim();
            if (trouble.isEmpty()) {
                trouble = "the compiler failed without saying why";
            }
        }
        answer(id, ok, found.list, produced, trouble);
        if (trouble.equals("out of memory")) {
            System.exit(4); // its heap may be full of leaks; the next request starts afresh
        }
    }

    private static Throwable root(Throwable e) {
        Throwable t = e;
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<Throwable, Boolean>());
        while (t.getCause() != null && seen.add(t)) {
            t = t.getCause();
        }
        return t;
    }

    private static String describe(Throwable t) {
        StringBuilder b = new StringBuilder(t.toString());
        StackTraceElement[] frames = t.getStackTrace();
        for (int i = 0; i < Math.min(3, frames.length); i++) {
            b.append(" at ").append(frames[i]);
        }
        return b.toString();
    }

    private void answer(int id, boolean ok, List<Note> notes, Map<String, String> produced, String trouble) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream d = new DataOutputStream(bytes);
        d.writeByte(1);
        d.writeInt(id);
        d.writeBoolean(ok);
        d.writeInt(notes.size());
        for (Note n : notes) {
            writeString(d, n.kind);
            writeString(d, n.file);
            d.writeInt(n.line);
            d.writeInt(n.column);
            d.writeInt(n.length);
            writeString(d, n.code);
            writeString(d, n.message);
        }
        List<Map.Entry<String, String>> entries = new ArrayList<Map.Entry<String, String>>(produced.entrySet());
        d.writeInt(entries.size());
        for (Map.Entry<String, String> e : entries) {
            writeString(d, e.getKey());
            writeString(d, e.getValue());
        }
        writeString(d, trouble);
        send(bytes);
    }

    private void send(ByteArrayOutputStream bytes) throws IOException {
        out.writeInt(bytes.size());
        bytes.writeTo(out);
        out.flush();
    }

    private static String readString(DataInputStream d) throws IOException {
        byte[] b = new byte[d.readInt()];
        d.readFully(b);
        return new String(b, StandardCharsets.UTF_8);
    }

    private static List<String> readStrings(DataInputStream d) throws IOException {
        int n = d.readInt();
        List<String> list = new ArrayList<String>(n);
        for (int i = 0; i < n; i++) {
            list.add(readString(d));
        }
        return list;
    }

    private static void writeString(DataOutputStream d, String s) throws IOException {
        byte[] b = (s == null ? "" : s).getBytes(StandardCharsets.UTF_8);
        d.writeInt(b.length);
        d.write(b);
    }

    /** One diagnostic. Line and column are 1-based, 0 where unknown; columns and lengths count UTF-16 units. */
    private static final class Note {
        String kind;
        String file;
        int line;
        int column;
        int length;
        String code;
        String message;
    }

    /** Collects diagnostics while their sources are at hand. */
    private static final class Found implements DiagnosticListener<JavaFileObject> {
        final List<Note> list = new ArrayList<Note>();

        @Override
        public synchronized void report(Diagnostic<? extends JavaFileObject> d) {
            if (list.size() >= MAX_DIAGNOSTICS) {
                return;
            }
            Note n = new Note();
            n.kind = d.getKind().name();
            n.code = d.getCode();
            n.message = d.getMessage(Locale.ENGLISH);
            n.file = "";
            JavaFileObject source = d.getSource();
            if (source != null) {
                n.file = path(source);
                n.line = (int) Math.max(0, d.getLineNumber());
                n.column = column(source, d.getPosition());
                if (d.getEndPosition() > d.getStartPosition() && d.getPosition() != Diagnostic.NOPOS) {
                    n.length = (int) Math.max(0, d.getEndPosition() - d.getPosition());
                }
            }
            list.add(n);
        }

        /** javac's own column counts a tab as up to eight. */
        private static int column(JavaFileObject source, long position) {
            if (position == Diagnostic.NOPOS) {
                return 0;
            }
            try {
                CharSequence text = source.getCharContent(true);
                int start = (int) Math.min(position, text.length());
                int i = start;
                while (i > 0 && text.charAt(i - 1) != '\n' && text.charAt(i - 1) != '\r') {
                    i--;
                }
                return start - i + 1;
            } catch (IOException e) {
                return 0;
            }
        }
    }

    private static String path(FileObject f) {
        try {
            if ("file".equals(f.toUri().getScheme())) {
                return new File(f.toUri()).getPath();
            }
        } catch (IllegalArgumentException e) {
            return f.getName();
        }
        return f.getName();
    }

    /** Notes which class came from which source, and ends a cancelled compilation. */
    private static final class Recording extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final String output;
        private final Map<String, String> produced;
        private final int id;
        private final AtomicInteger cancelled;

        Recording(StandardJavaFileManager standard, File output, Map<String, String> produced, int id, AtomicInteger cancelled) {
            super(standard);
            this.output = output.getPath();
            this.produced = produced;
            this.id = id;
            this.cancelled = cancelled;
        }

        private void check() {
            if (cancelled.get() == id) {
                throw new IllegalStateException("cancelled");
            }
        }

        @Override
        public JavaFileObject getJavaFileForOutput(JavaFileManager.Location location, String name, JavaFileObject.Kind kind, FileObject sibling) throws IOException {
            check();
            JavaFileObject f = super.getJavaFileForOutput(location, name, kind, sibling);
            String file = path(f);
            if (kind == JavaFileObject.Kind.CLASS && file.startsWith(output)) {
                String relative = file.substring(output.length()).replace(File.separatorChar, '/');
                while (relative.startsWith("/")) {
                    relative = relative.substring(1);
                }
                produced.put(relative, sibling == null ? "" : path(sibling));
            }
            return f;
        }

        @Override
        public Iterable<JavaFileObject> list(JavaFileManager.Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse) throws IOException {
            check();
            return super.list(location, packageName, kinds, recurse);
        }
    }
}
