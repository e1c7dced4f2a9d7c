package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
    @Test
    void saysWhatIsWrongWithTheConfiguration(@TempDir Path folder) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(new String[] {folder.resolve("none").toString()}, System.out, new PrintStream(err));
        assertEquals(2, code);
        assertTrue(err.toString().startsWith("filedrop: "));
    }
}
