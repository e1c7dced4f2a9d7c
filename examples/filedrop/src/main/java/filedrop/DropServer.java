package filedrop;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Accepts connections on the loopback interface and serves each in a thread of its own. */
public final class DropServer implements Closeable {
    private final ServerSocket listener;
    private final FileStore store;
    private final AuditLog audit;
    private final int idleMillis;
    private final ExecutorService workers;
    private final Thread acceptor = new Thread(this::accept, "filedrop-acceptor");
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private DropServer(Settings settings) throws SettingsException, StoreException, IOException {
        idleMillis = (int) settings.idleTimeout().toMillis();
        store = new FileStore(settings.folder(), new ContentCache(settings.cacheEntries()), settings.retry());
        audit = new AuditLog(settings.folder().resolve("audit.log"), Clock.systemUTC());
        workers = Executors.newFixedThreadPool(settings.workers());
        listener = new ServerSocket(settings.port(), 50, InetAddress.getLoopbackAddress());
    }

    public static DropServer start(Settings settings) throws SettingsException, StoreException, IOException {
        DropServer server = new DropServer(settings);
        server.acceptor.start();
        return server;
    }

    public int port() {
        return listener.getLocalPort();
    }

    public AuditLog audit() {
        return audit;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                workers.execute(() -> {
                    try {
                        socket.setSoTimeout(idleMillis);
                        new Session(Wire.over(socket), store, audit).run();
                    } catch (IOException e) {
                        audit.record("lost", e.getClass().getSimpleName());
                    } finally {
                        open.remove(socket);
                    }
                });
            } catch (SocketException e) {
                // the listener was closed
                break;
            } catch (IOException e) {
                audit.record("accept", e.toString());
            }
        }
    }

    /** Stops accepting, ends open connections, and waits for their threads. */
    @Override
    public void close() throws IOException {
        listener.close();
        workers.shutdown();
        for (Socket socket : open) {
            socket.close();
        }
        try {
            acceptor.join(5000);
            workers.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
