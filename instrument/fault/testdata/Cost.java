import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;

/** What reading costs where nothing is armed: processor time of this thread, in the dearest case, a byte at a time. */
public class Cost {
    public static void testBytes() throws Exception {
        try (FileInputStream in = new FileInputStream("/dev/zero")) {
            for (int round = 0; round < 4; round++) {
                long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                for (int i = 0; i < 400000; i++) {
                    in.read();
                }
                long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
                if (round == 3) {
                    System.out.println("GOT " + nanos);
                }
            }
        }
    }

    public static void testChannel() throws Exception {
        ByteBuffer b = ByteBuffer.allocateDirect(1);
        try (FileChannel in = FileChannel.open(Paths.get("/dev/zero"))) {
            for (int round = 0; round < 4; round++) {
                long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                for (int i = 0; i < 400000; i++) {
                    b.clear();
                    in.read(b);
                }
                long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
                if (round == 3) {
                    System.out.println("GOT " + nanos);
                }
            }
        }
    }
}
