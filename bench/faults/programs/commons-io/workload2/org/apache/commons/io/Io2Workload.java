package org.apache.commons.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.input.Tailer;
import org.apache.commons.io.input.TailerListenerAdapter;
import org.apache.commons.io.output.DeferredFileOutputStream;
import org.apache.commons.io.output.FileWriterWithEncoding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workload 2 of commons-io: what its first workload leaves open, by what catchlens says of the links that it
 * does not cover. Files that are followed to the end, long texts, a connection that is closed while it is read.
 */
@Timeout(40)
class Io2Workload {
    @TempDir
    Path folder;

    /** The lines that a tailer has handed on. */
    private static final class Lines extends TailerListenerAdapter {
        final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

        @Override
        public void handle(String line) {
            seen.add(line);
        }

        @Override
        public void fileRotated() {
            seen.add("rotated");
        }

        void expect(String line) throws InterruptedException {
            assertEquals(line, seen.poll(5, TimeUnit.SECONDS));
        }
    }

    private static Tailer tailer(File file, boolean reOpen, Lines lines) throws IOException {
        return Tailer.builder().setFile(file).setDelayDuration(Duration.ofMillis(20)).setReOpen(reOpen).setStartThread(false)
                .setTailerListener(lines).get();
    }

    private static Thread start(Tailer tailer) {
        Thread t = new Thread(tailer);
        t.setDaemon(true);
        t.start();
        return t;
    }

    private static void end(Tailer tailer, Thread thread) throws InterruptedException {
        tailer.close();
        thread.interrupt();
        thread.join(5000);
        assertFalse(thread.isAlive());
    }

    @Test
    void followsAFileThatIsRotated() throws Exception {
        Path file = Files.write(folder.resolve("log"), Arrays.asList("one", "two"));
        Lines lines = new Lines();
        Tailer tailer = tailer(file.toFile(), false, lines);
        Thread thread = start(tailer);
        lines.expect("one");
        lines.expect("two");
        Files.move(file, folder.resolve("log.1"));
        Files.write(folder.resolve("next"), Arrays.asList("new"));
        Files.move(folder.resolve("next"), file);
        lines.expect("rotated");
        lines.expect("new");
        end(tailer, thread);
    }

    @Test
    void followsAFileThatIsOpenedAgain() throws Exception {
        Path file = Files.write(folder.resolve("log"), Arrays.asList("one"));
        Lines lines = new Lines();
        Tailer tailer = tailer(file.toFile(), true, lines);
        Thread thread = start(tailer);
        lines.expect("one");
        Files.write(file, Arrays.asList("one", "two"));
        lines.expect("two");
        end(tailer, thread);
    }

    @Test
    void spillsWhatIsInMemory() throws Exception {
        try (DeferredFileOutputStream out = DeferredFileOutputStream.builder().setThreshold(100).setOutputFile(folder.resolve("spill").toFile()).get()) {
            out.write(new byte[60]);
            out.write(new byte[60]);
            assertFalse(out.isInMemory());
        }
        assertEquals(120, Files.size(folder.resolve("spill")));
    }

    @Test
    void writesLongTexts() throws Exception {
        char[] chars = new char[50_000];
        Arrays.fill(chars, 'x');
        File file = folder.resolve("long").toFile();
        try (FileWriterWithEncoding w = FileWriterWithEncoding.builder().setFile(file).setCharset(StandardCharsets.UTF_8).get()) {
            w.write(new String(chars));
        }
        assertEquals(50_000, file.length());
    }

    @Test
    void closesAConnectionThatIsRead() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket s = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort())) {
            Thread closer = new Thread(() -> {
                try {
                    Thread.sleep(200);
                } catch (InterruptedException e) {
                    return;
                }
                IOUtils.closeQuietly(s);
            });
            closer.start();
            assertThrows(IOException.class, () -> s.getInputStream().read());
            closer.join();
            assertTrue(s.isClosed());
        }
    }
}
