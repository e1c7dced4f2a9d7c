package catchlens.rt.wire;

import catchlens.rt.Agent;
import catchlens.rt.run.Dump;
import catchlens.rt.run.Runner;
import catchlens.rt.run.Stall;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The JSON-RPC 2.0 channel. A message is a JSON text behind its length as an unsigned varint. ping,
 * dump and end are answered by the reading thread, everything else in order by the test thread.
 */
public final class Control extends Channel {
    private final ArrayDeque<Map<?, ?>> commands = new ArrayDeque<Map<?, ?>>();

    public Control(int port, String token, String reply) throws IOException {
        super(port, 'C', token, reply);
    }

    @Override
    void read() throws IOException {
        for (;;) {
            int len = varint();
            byte[] b = new byte[len];
            in.readFully(b);
            Map<?, ?> m = (Map<?, ?>) Json.parse(new String(b, "UTF-8"));
            String method = (String) m.get("method");
            if (method == null) {
                continue;
            }
            if (method.equals("ping")) {
                reply(m, "ok", null);
            } else if (method.equals("dump")) {
                String stacks = Dump.all();
                Runner.hangs();
                reply(m, stacks, null);
            } else if (method.equals("stalled")) {
                reply(m, Stall.states(), null);
            } else if (method.equals("end")) {
                Agent.halt(0);
            } else {
                synchronized (commands) {
                    commands.addLast(m);
                    commands.notify();
                }
            }
        }
    }

    private int varint() throws IOException {
        int v = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int b = in.readUnsignedByte();
            v |= (b & 127) << shift;
            if (b < 128) {
                return v;
            }
        }
        throw new IOException("message too long");
    }

    /** The next command for the test thread. */
    public Map<?, ?> next() {
        for (;;) {
            try {
                synchronized (commands) {
                    while (commands.isEmpty()) {
                        commands.wait();
                    }
                    return commands.removeFirst();
                }
            } catch (InterruptedException e) {
                continue; // a test's doing
            }
        }
    }

    public void reply(Map<?, ?> request, Object result, String error) {
        Map<String, Object> m = new LinkedHashMap<String, Object>();
        m.put("jsonrpc", "2.0");
        m.put("id", request.get("id"));
        if (error == null) {
            m.put("result", result);
        } else {
            Map<String, Object> e = new LinkedHashMap<String, Object>();
            e.put("code", -32000L);
            e.put("message", error);
            m.put("error", e);
        }
        sendJson(m);
    }

    public void notify(String method, Object params) {
        Map<String, Object> m = new LinkedHashMap<String, Object>();
        m.put("jsonrpc", "2.0");
        m.put("method", method);
        m.put("params", params);
        sendJson(m);
    }

    private void sendJson(Map<String, Object> m) {
        byte[] text = Json.write(m).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        Out out = new Out();
        int v = text.length;
        while (v >= 128) {
            out.u8(v & 127 | 128);
            v >>>= 7;
        }
        out.u8(v);
        byte[] head = out.toBytes();
        byte[] all = java.util.Arrays.copyOf(head, head.length + text.length);
        System.arraycopy(text, 0, all, head.length, text.length);
        send(all);
    }
}
