package catchlens.rt.load;

import java.nio.charset.StandardCharsets;

/**
 * Puts a call of {@link Probe#exiting} at the start of Runtime.exit(int), and one of
 * {@link Probe#halting} at the start of Runtime.halt(int).
 *
 * <p>The four bytes iload_1, invokestatic go before the method's code: that keeps the alignment of
 * switches, jumps are relative, and what is absolute (exception table, line and variable tables,
 * the first frame) moves by four (JVMS 4.7.3, 4.7.4, 4.7.12, 4.7.13).
 */
public final class ExitGuard {
    private final byte[] in;
    private int at;
    private byte[] out;
    private int n;
    private int exiting; // constant pool index of Probe.exiting(I)V
    private int halting; // the same of Probe.halting(I)V
    private String[] utf8;

    private ExitGuard(byte[] in) {
        this.in = in;
        this.out = new byte[in.length + 256];
    }

    static byte[] patch(byte[] in) {
        return new ExitGuard(in).run();
    }

    private byte[] run() {
        copy(8);
        pool();
        copy(6);
        copy(2 * copyCount()); // interfaces
        members(false);
        members(true);
        copy(in.length - at);
        return java.util.Arrays.copyOf(out, n);
    }

    private int peek2() {
        return (in[at] & 255) << 8 | (in[at + 1] & 255);
    }

    private int peek4() {
        return peek2() << 16 | (in[at + 2] & 255) << 8 | (in[at + 3] & 255);
    }

    private int copyCount() {
        int v = peek2();
        copy(2);
        return v;
    }

    private void copy(int len) {
        System.arraycopy(in, at, out, n, len);
        at += len;
        n += len;
    }

    private void u1(int v) {
        out[n++] = (byte) v;
    }

    private void u2(int v) {
        u1(v >> 8);
        u1(v);
    }

    private void u4(int v) {
        u2(v >> 16);
        u2(v);
    }

    private void pool() {
        int count = peek2();
        at += 2;
        u2(count + 9);
        utf8 = new String[count];
        for (int i = 1; i < count; i++) {
            int tag = in[at];
            switch (tag) {
                case 1:
                    at++;
                    int len = peek2();
                    at--;
                    utf8[i] = new String(in, at + 3, len, StandardCharsets.ISO_8859_1);
                    copy(3 + len);
                    break;
                case 5:
                case 6:
                    copy(9);
                    i++;
                    break;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    copy(3);
                    break;
                case 15:
                    copy(4);
                    break;
                default:
                    copy(5);
            }
        }
        text("catchlens/rt/Probe"); // count
        u1(7);
        u2(count); // count + 1
        text("exiting"); // count + 2
        text("(I)V"); // count + 3
        u1(12);
        u2(count + 2);
        u2(count + 3); // count + 4
        u1(10);
        u2(count + 1);
        u2(count + 4); // count + 5
        exiting = count + 5;
        text("halting"); // count + 6
        u1(12);
        u2(count + 6);
        u2(count + 3); // count + 7
        u1(10);
        u2(count + 1);
        u2(count + 7); // count + 8
        halting = count + 8;
    }

    private void text(String s) {
        u1(1);
        u2(s.length());
        for (int i = 0; i < s.length(); i++) {
            u1(s.charAt(i));
        }
    }

    private void members(boolean methods) {
        int count = copyCount();
        for (int i = 0; i < count; i++) {
            copy(2);
            String name = utf8[copyCount()];
            String desc = utf8[copyCount()];
            int call = !methods || !desc.equals("(I)V") ? 0 : name.equals("exit") ? exiting : name.equals("halt") ? halting : 0;
            for (int k = copyCount(); k > 0; k--) {
                if (call != 0 && "Code".equals(utf8[peek2()])) {
                    code(call);
                } else {
                    attribute();
                }
            }
        }
    }

    private void attribute() {
        copy(2);
        int len = peek4();
        copy(4 + len);
    }

    private void code(int call) {
        copy(2);
        int lengthAt = n;
        at += 4;
        u4(0);
        int start = n;
        int stack = peek2();
        at += 2;
        u2(Math.max(1, stack));
        copy(2);
        int codeLength = peek4();
        at += 4;
        u4(codeLength + 4);
        u1(0x1b); // iload_1
        u1(0xb8); // invokestatic
        u2(call);
        copy(codeLength);
        for (int k = copyCount(); k > 0; k--) { // exception table
            shift();
            shift();
            shift();
            copy(2);
        }
        for (int k = copyCount(); k > 0; k--) {
            codeAttribute(utf8[peek2()]);
        }
        int end = n;
        n = lengthAt;
        u4(end - start);
        n = end;
    }

    private void shift() {
        u2(peek2() + 4);
        at += 2;
    }

    private void codeAttribute(String name) {
        if (name.equals("LineNumberTable")) {
            copy(6);
            for (int k = copyCount(); k > 0; k--) {
                shift();
                copy(2);
            }
        } else if (name.equals("LocalVariableTable") || name.equals("LocalVariableTypeTable")) {
            copy(6);
            for (int k = copyCount(); k > 0; k--) {
                shift();
                copy(8);
            }
        } else if (name.equals("StackMapTable")) {
            frames();
        } else {
            attribute();
        }
    }

    /** Only the first frame's offset counts from the start of the code (JVMS 4.7.4). */
    private void frames() {
        copy(2);
        int len = peek4();
        int lengthAt = n;
        copy(4);
        int end = at + len;
        int from = n;
        if (copyCount() > 0) {
            int tag = in[at++] & 255;
            if (tag < 60) { // same_frame
                u1(tag + 4);
            } else if (tag < 64) { // same_frame that becomes same_frame_extended
                u1(251);
                u2(tag + 4);
            } else if (tag < 124) { // same_locals_1_stack_item_frame
                u1(tag + 4);
            } else if (tag < 128) {
                u1(247);
                u2(tag - 64 + 4);
            } else {
                u1(tag);
                shift();
            }
        }
        copy(end - at);
        int stop = n;
        n = lengthAt;
        u4(stop - from);
        n = stop;
    }
}
