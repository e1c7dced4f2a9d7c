import java.io.FileInputStream;
import java.io.IOException;

/** A catch after which the test does not end. */
public class Hangs {
    static void attempt(String file) throws InterruptedException {
        try {
            new FileInputStream(file).read();
        } catch (IOException e) {
            Thread.sleep(1_000_000);
        }
    }

    public static void testHangs() throws Exception {
        attempt(java.io.File.createTempFile("hangs", ".txt").getPath());
    }
}
