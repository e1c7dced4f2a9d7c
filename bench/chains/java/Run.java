import gnu.testlet.ResourceNotFoundException;
import gnu.testlet.TestHarness;
import gnu.testlet.Testlet;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Runs tests of Mauve, or the main method that stands for them, with a component whose chains are
 * recorded: Run FILE COMPONENT SOURCES tests CLASS..., or Run FILE COMPONENT SOURCES main|abstracted
 * STEPS NAME, which also runs the further tests of a component. The component is classes, parted by commas; the chains are written to the file.
 */
public final class Run {
    public static void main(String[] args) throws Throwable {
        Set<String> component = new HashSet<>(Arrays.asList(args[1].split(",")));
        List<String> rest = Arrays.asList(args).subList(4, args.length);
        if (args[3].equals("tests")) {
            List<Testlet> tests = new ArrayList<>();
            for (String name : rest) {
                Class<?> c = Class.forName(name);
                if (Testlet.class.isAssignableFrom(c)) {
                    tests.add((Testlet) c.getDeclaredConstructor().newInstance());
                }
            }
            Harness harness = new Harness(args[2]);
            for (Testlet t : tests) {
                recorded.Stacks.follow(component, false);
                try {
                    t.test(harness);
                } catch (Throwable e) {
                    System.err.println(t.getClass().getName() + ": " + e);
                }
            }
            System.err.println(tests.size() + " tests, " + harness.checks + " checks, " + harness.failed + " failed");
        } else {
            Class<?> c = Class.forName("artificial.Main");
            c.getField("bytes").set(null, files(args[2]));
            Method main = c.getMethod("main", String[].class);
            Field texts = c.getDeclaredField("TEXTS");
            texts.setAccessible(true);
            Enhanced further = new Enhanced(List.of((String[]) texts.get(null)), files(args[2]));
            if (args[3].equals("abstracted")) {
                recorded.Stacks.follow(component, true);
                main.invoke(null, (Object) rest.toArray(new String[0]));
                try {
                    further.run(args[5]);
                } catch (RuntimeException | Error e) {
                    // conditions that come out by chance
                }
            } else {
                recorded.Stacks.follow(component, false);
                main.invoke(null, (Object) rest.toArray(new String[0]));
                further.run(args[5]);
            }
        }
        recorded.Stacks.write(args[0]);
    }

    /** Contents of compressed files, whole and damaged. */
    private static byte[][] files(String sources) throws IOException {
        byte[] text = new byte[5000];
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) (i * i % 251);
        }
        List<byte[]> out = new ArrayList<>();
        try (var all = Files.walk(Path.of(sources))) {
            for (Path p : (Iterable<Path>) all.filter(f -> f.toString().matches(".*\\.(gz|zip)"))::iterator) {
                out.add(Files.readAllBytes(p));
            }
        }
        for (int size : new int[] {0, 1, 100, 5000}) {
            ByteArrayOutputStream gz = new ByteArrayOutputStream();
            try (GZIPOutputStream g = new GZIPOutputStream(gz)) {
                g.write(text, 0, size);
            }
            out.add(gz.toByteArray());
            gz.write(gz.toByteArray()); // two members
            out.add(gz.toByteArray());
            ByteArrayOutputStream zip = new ByteArrayOutputStream();
            try (ZipOutputStream z = new ZipOutputStream(zip)) {
                for (int method : new int[] {ZipEntry.DEFLATED, ZipEntry.STORED}) {
                    ZipEntry e = new ZipEntry("e" + method + (size == 1 ? "/" : "\u00e9"));
                    e.setMethod(method);
                    e.setExtra(size == 100 ? new byte[] {1, 0, 2, 0, 7, 7} : null);
                    e.setComment("comment");
                    e.setTime(size * 1000000000L);
                    if (method == ZipEntry.STORED) {
                        java.util.zip.CRC32 crc = new java.util.zip.CRC32();
                        crc.update(text, 0, size);
                        e.setCrc(crc.getValue());
                        e.setSize(size);
                    }
                    z.putNextEntry(e);
                    z.write(text, 0, size);
                }
            }
            out.add(zip.toByteArray());
        }
        // Header fields that GZIPOutputStream does not write (RFC 1952).
        byte[] plain = out.get(out.size() - 3);
        for (int flags = 1; flags < 32; flags++) {
            ByteArrayOutputStream gz = new ByteArrayOutputStream();
            gz.write(plain, 0, 3);
            gz.write(flags);
            gz.write(plain, 4, 6);
            if ((flags & 4) != 0) {
                gz.write(new byte[] {2, 0, 9, 9});
            }
            if ((flags & 8) != 0) {
                gz.write("name\0".getBytes(StandardCharsets.US_ASCII));
            }
            if ((flags & 16) != 0) {
                gz.write("comment\0".getBytes(StandardCharsets.US_ASCII));
            }
            if ((flags & 2) != 0) {
                java.util.zip.CRC32 crc = new java.util.zip.CRC32();
                crc.update(gz.toByteArray());
                gz.write((int) crc.getValue());
                gz.write((int) crc.getValue() >> 8);
            }
            gz.write(plain, 10, plain.length - 10);
            out.add(gz.toByteArray());
        }
        for (byte[] whole : List.copyOf(out)) {
            out.add(Arrays.copyOf(whole, whole.length * 2 / 3));
            byte[] damaged = whole.clone();
            damaged[damaged.length / 2] ^= 0x55;
            out.add(damaged);
        }
        return out.toArray(new byte[0][]);
    }

    private static final class Harness extends TestHarness {
        private final String sources;
        int checks;
        int failed;

        Harness(String sources) { this.sources = sources; }

        @Override
        public void check(boolean result) {
            checks++;
            failed += result ? 0 : 1;
        }

        @Override
        public File getResourceFile(String name) throws ResourceNotFoundException {
            File f = new File(sources, name.replace('#', '/'));
            if (!f.exists()) {
                throw new ResourceNotFoundException(name);
            }
            return f;
        }

        @Override
        public InputStream getResourceStream(String name) throws ResourceNotFoundException {
            try {
                return new FileInputStream(getResourceFile(name));
            } catch (IOException e) {
                throw new ResourceNotFoundException(name);
            }
        }

        @Override
        public Reader getResourceReader(String name) throws ResourceNotFoundException {
            return new BufferedReader(new InputStreamReader(getResourceStream(name), StandardCharsets.ISO_8859_1));
        }

        @Override
        public void checkPoint(String name) {}

        @Override
        public void verbose(String message) {}

        @Override
        public void debug(String message) {}

        @Override
        public void debug(String message, boolean newline) {}

        @Override
        public void debug(Throwable e) {}

        @Override
        public void debug(Object[] o, String name) {}
    }
}
