package filedrop;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;

/** Serves one client until it leaves. */
final class Session {
    private final Wire wire;
    private final FileStore store;
    private final AuditLog audit;
    private int served;

    Session(Wire wire, FileStore store, AuditLog audit) {
        this.wire = wire;
        this.store = store;
        this.audit = audit;
    }

    void run() throws IOException {
        String last = null;
        try {
            String line;
            while ((line = nextLine()) != null) {
                last = line;
                if (!answer(line)) {
                    break;
                }
            }
        } catch (SocketTimeoutException e) {
            audit.record("timeout", "after " + last.split(" ")[0]);
        } finally {
            audit.record("end", served + " requests");
            try {
                wire.close();
            } catch (IOException e) {
                audit.record("close", e.toString());
            }
        }
    }

    private String nextLine() throws IOException {
        try {
            return wire.readLine();
        } catch (ProtocolException e) {
            wire.writeLine("ERR " + e.getMessage());
            return null;
        }
    }

    /** Carries out one request; false when it was the last one. */
    private boolean answer(String line) throws IOException {
        try {
            Request request = Request.parse(line);
            try {
                served++;
                return serve(request);
            } catch (StoreException e) {
                audit.record("failed", e.getMessage());
                wire.writeLine("ERR " + e.getMessage());
            }
        } catch (ProtocolException e) {
            audit.record("rejected", line);
            wire.writeLine("ERR " + e.getMessage());
        }
        return true;
    }

    private boolean serve(Request request) throws IOException, ProtocolException, StoreException {
        switch (request.verb) {
            case PUT:
                put(request.name(), request.size(), request.checksum());
                return true;
            case GET:
                get(request.name());
                return true;
            case LIST:
                list();
                return true;
            case DELETE:
                wire.writeLine(store.delete(request.name()) ? "OK deleted" : "ERR no such file");
                return true;
            default:
                wire.writeLine("OK bye");
                return false;
        }
    }

    private void put(String name, long size, long checksum) throws IOException, StoreException {
        LimitedInputStream block = wire.block(size);
        try (InputStream content = new ChecksumInputStream(block, checksum)) {
            Index.Entry entry = store.write(name, content);
            audit.record("put", name);
            wire.writeLine("OK " + entry);
        } finally {
            block.drain();
        }
    }

    private void get(String name) throws IOException, StoreException {
        byte[] content = store.read(name);
        audit.record("get", name);
        wire.writeLine("OK " + Index.Entry.of(content));
        wire.write(content);
    }

    private void list() throws IOException {
        StringBuilder reply = new StringBuilder("OK ").append(store.version());
        for (String name : store.list()) {
            reply.append(' ').append(name);
        }
        wire.writeLine(reply.toString());
    }
}
