package catchlens.rt;

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;

/**
 * Runs test classes and records call edges: arguments are the file with the program's classes, the
 * file with the test classes, the file to write, and the framework, junit3, junit4 or platform.
 */
public final class Record {
    private Record() {}

    public static void main(String[] args) {
        int status = 1;
        try {
            List<String> tests = Files.readAllLines(Paths.get(args[1]));
            Probe.start(Files.readAllLines(Paths.get(args[0])));
            long ran = args[3].equals("junit3") ? JUnit3.run(tests)
                    : args[3].equals("junit4") ? JUnit4.run(tests) : Platform.run(tests);
            Probe.write(args[2], ran);
            status = 0;
        } catch (Throwable e) { // out of memory too: threads of the tests would keep the JVM from ending
            e.printStackTrace();
        } finally {
            System.out.flush();
            Runtime.getRuntime().halt(status); // whatever threads the tests left
        }
    }
}
