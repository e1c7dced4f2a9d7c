package org.apache.commons.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.file.PathUtils;
import org.apache.commons.io.input.BOMInputStream;
import org.apache.commons.io.input.BufferedFileChannelInputStream;
import org.apache.commons.io.input.ObservableInputStream;
import org.apache.commons.io.input.QueueInputStream;
import org.apache.commons.io.input.ReversedLinesFileReader;
import org.apache.commons.io.input.Tailer;
import org.apache.commons.io.input.TailerListenerAdapter;
import org.apache.commons.io.input.TeeInputStream;
import org.apache.commons.io.input.XmlStreamReader;
import org.apache.commons.io.monitor.FileAlterationListenerAdaptor;
import org.apache.commons.io.monitor.FileAlterationObserver;
import org.apache.commons.io.output.DeferredFileOutputStream;
import org.apache.commons.io.output.FileWriterWithEncoding;
import org.apache.commons.io.output.LockableFileWriter;
import org.apache.commons.io.output.TeeOutputStream;
import org.apache.commons.io.output.XmlStreamWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What programs use commons-io for: files and folders, streams of files and of connections. */
@Timeout(40)
class IoWorkload {
    @TempDir
    File folder;

    private File text, inner;

    @BeforeEach
    void files() throws IOException {
        text = new File(folder, "text.txt");
        Files.write(text.toPath(), Arrays.asList("one", "two", "three"));
        inner = new File(folder, "inner");
        inner.mkdir();
        Files.write(new File(inner, "data.bin").toPath(), new byte[10_000]);
        new File(inner, "deep").mkdir();
        Files.write(new File(inner, "deep/x").toPath(), new byte[10]);
    }

    @Test
    void readsAndWrites() throws IOException {
        File out = new File(folder, "new/out.txt");
        FileUtils.writeStringToFile(out, "hello\nworld\n", StandardCharsets.UTF_8);
        assertEquals(2, FileUtils.readLines(out, StandardCharsets.UTF_8).size());
        FileUtils.writeLines(out, Arrays.asList("a", "b"), true);
        FileUtils.writeByteArrayToFile(out, new byte[100]);
        assertEquals(100, FileUtils.readFileToByteArray(out).length);
        FileUtils.touch(out);
        try (LineIterator lines = FileUtils.lineIterator(text)) {
            assertTrue(lines.hasNext());
            assertEquals("one", lines.next());
        }
        assertEquals(FileUtils.checksumCRC32(text), FileUtils.checksumCRC32(text));
    }

    @Test
    void copiesAndMoves() throws IOException {
        FileUtils.copyFile(text, new File(folder, "copy.txt"));
        FileUtils.copyFileToDirectory(text, inner);
        FileUtils.copyDirectory(inner, new File(folder, "twin"));
        assertTrue(FileUtils.contentEquals(text, new File(folder, "copy.txt")));
        FileUtils.moveFile(new File(folder, "copy.txt"), new File(folder, "moved.txt"));
        FileUtils.moveDirectory(new File(folder, "twin"), new File(folder, "other"));
        FileUtils.moveToDirectory(new File(folder, "moved.txt"), inner, false);
        assertTrue(FileUtils.directoryContains(folder, inner));
    }

    @Test
    void deletes() throws IOException {
        assertTrue(FileUtils.deleteQuietly(text));
        FileUtils.cleanDirectory(new File(inner, "deep"));
        FileUtils.deleteDirectory(inner);
        assertFalse(FileUtils.deleteQuietly(inner));
    }

    @Test
    void lists() throws IOException {
        assertEquals(2, FileUtils.listFiles(folder, new String[] {"txt", "bin"}, true).size());
        assertTrue(FileUtils.sizeOfDirectory(folder) > 10_000);
        try (java.util.stream.Stream<File> files = FileUtils.streamFiles(folder, true, "bin")) {
            assertEquals(1, files.count());
        }
        FileUtils.forceMkdir(new File(folder, "a/b"));
        FileUtils.forceMkdirParent(new File(folder, "c/d"));
        FileUtils.forceDelete(new File(folder, "a"));
        assertTrue(FileUtils.isFileNewer(text, 0));
    }

    @Test
    void worksWithPaths() throws IOException {
        Path twin = folder.toPath().resolve("twin");
        PathUtils.copyDirectory(inner.toPath(), twin);
        assertTrue(PathUtils.directoryAndFileContentEquals(inner.toPath(), twin));
        assertEquals(2, PathUtils.countDirectory(twin).getFileCounter().get());
        PathUtils.cleanDirectory(twin);
        assertTrue(PathUtils.countDirectory(twin).getFileCounter().get() == 0);
        PathUtils.deleteDirectory(inner.toPath());
        PathUtils.writeString(text.toPath(), "x", StandardCharsets.UTF_8);
        PathUtils.touch(text.toPath());
    }

    @Test
    void followsAFile() throws Exception {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch seen = new CountDownLatch(3);
        Tailer tailer = Tailer.builder().setFile(text).setDelayDuration(Duration.ofMillis(20)).setStartThread(false)
                .setTailerListener(new TailerListenerAdapter() {
                    @Override
                    public void handle(String line) {
                        lines.add(line);
                        seen.countDown();
                    }
                }).get();
        Thread t = new Thread(tailer);
        t.setDaemon(true);
        t.start();
        assertTrue(seen.await(5, TimeUnit.SECONDS));
        tailer.close();
        assertEquals(Arrays.asList("one", "two", "three"), lines);
    }

    @Test
    void watchesAFolder() throws Exception {
        List<String> changes = new ArrayList<>();
        FileAlterationObserver observer = new FileAlterationObserver(folder);
        observer.addListener(new FileAlterationListenerAdaptor() {
            @Override
            public void onFileCreate(File file) {
                changes.add(file.getName());
            }
        });
        observer.initialize();
        FileUtils.write(new File(folder, "born"), "x", StandardCharsets.UTF_8);
        observer.checkAndNotify();
        observer.destroy();
        assertEquals(Collections.singletonList("born"), changes);
    }

    @Test
    void readsBackwards() throws IOException {
        try (ReversedLinesFileReader r = ReversedLinesFileReader.builder().setFile(text).get()) {
            assertEquals("three", r.readLine());
        }
        try (InputStream in = BufferedFileChannelInputStream.builder().setFile(new File(inner, "data.bin")).get()) {
            assertEquals(10_000, IOUtils.toByteArray(in).length);
        }
    }

    @Test
    void wrapsStreams() throws IOException {
        ByteArrayOutputStream copy = new ByteArrayOutputStream();
        try (InputStream in = new TeeInputStream(Files.newInputStream(text.toPath()), copy)) {
            IOUtils.consume(in);
        }
        assertEquals(text.length(), copy.size());
        try (ObservableInputStream in = new ObservableInputStream(Files.newInputStream(text.toPath()))) {
            in.consume();
        }
        try (BOMInputStream in = BOMInputStream.builder().setFile(text).get()) {
            assertFalse(in.hasBOM());
        }
        try (OutputStream out = new TeeOutputStream(Files.newOutputStream(new File(folder, "l").toPath()), Files.newOutputStream(new File(folder, "r").toPath()))) {
            out.write(new byte[100]);
        }
        assertTrue(FileUtils.contentEquals(new File(folder, "l"), new File(folder, "r")));
    }

    @Test
    void writesSafely() throws IOException {
        try (LockableFileWriter w = LockableFileWriter.builder().setFile(new File(folder, "locked")).setLockDirectory(folder).get()) {
            w.write("text");
        }
        try (FileWriterWithEncoding w = FileWriterWithEncoding.builder().setFile(new File(folder, "w")).setCharset(StandardCharsets.UTF_8).get()) {
            w.write("text");
        }
        DeferredFileOutputStream out = DeferredFileOutputStream.builder().setThreshold(100).setOutputFile(new File(folder, "spill")).get();
        out.write(new byte[500]);
        out.close();
        assertEquals(500, out.getFile().length());
    }

    @Test
    void knowsXml() throws IOException {
        File xml = new File(folder, "x.xml");
        try (XmlStreamWriter w = XmlStreamWriter.builder().setFile(xml).get()) {
            IOUtils.copy(new StringReader("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a/>"), w);
        }
        try (XmlStreamReader r = XmlStreamReader.builder().setFile(xml).get()) {
            assertTrue(IOUtils.toString(r).contains("<a/>"));
        }
    }

    @Test
    void copiesBetweenConnections() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Thread peer = new Thread(() -> {
                Socket s = null;
                try {
                    s = listener.accept();
                    s.setSoTimeout(3000);
                    IOUtils.copy(s.getInputStream(), s.getOutputStream());
                } catch (IOException e) {
                    return;
                } finally {
                    IOUtils.closeQuietly(s);
                }
            });
            peer.setDaemon(true);
            peer.start();
            try (Socket s = new Socket("127.0.0.1", listener.getLocalPort())) {
                s.setSoTimeout(3000);
                IOUtils.write("over the wire", s.getOutputStream(), StandardCharsets.UTF_8);
                s.shutdownOutput();
                assertEquals("over the wire", IOUtils.toString(s.getInputStream(), StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void readsFromAddresses() throws IOException {
        FileUtils.copyURLToFile(text.toURI().toURL(), new File(folder, "fetched"), 1000, 1000);
        assertArrayEquals(FileUtils.readFileToByteArray(text), IOUtils.toByteArray(text.toURI()));
        assertEquals("/", IOUtils.toString(text.toURI().toURL(), StandardCharsets.UTF_8).isEmpty() ? "" : "/");
    }

    @Test
    void passesBytesOn() throws IOException {
        QueueInputStream in = new QueueInputStream();
        try (OutputStream out = in.newQueueOutputStream()) {
            out.write(new byte[] {1, 2});
        }
        assertEquals(1, in.read());
    }
}
