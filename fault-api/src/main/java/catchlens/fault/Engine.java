package catchlens.fault;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;

/**
 * What carries out faults: catchlens, below this JVM. It is asked by opening a file that does not exist; where
 * catchlens supervises the JVM's system calls, the open succeeds and reads as the answer, and else it fails.
 */
final class Engine {
    private static final String PREFIX = "/proc/self/catchlens-fault/";

    static final Engine INSTANCE = new Engine();

    private Engine() {}

    /** Why there is no engine, or null: there is one. */
    String missing() {
        try {
            ask("ping", "");
            return null;
        } catch (FaultsUnavailableException e) {
            return e.getMessage();
        }
    }

    /** Carries out a request and returns what it answers. */
    String ask(String verb, String query) {
        String answer;
        try (InputStream in = new FileInputStream(PREFIX + verb + "?" + query)) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] buffer = new byte[4096];
            for (int n; (n = in.read(buffer)) > 0;) {
                all.write(buffer, 0, n);
            }
            answer = new String(all.toByteArray(), "UTF-8").trim();
        } catch (FileNotFoundException e) {
            throw new FaultsUnavailableException(
                    "faults need catchlens: run the tests by `catchlens run`, on Linux (nothing supervises this JVM)");
        } catch (IOException e) {
            throw new FaultsUnavailableException("catchlens does not answer: " + e.getMessage());
        }
        if (answer.equals("ok") || answer.startsWith("ok ")) {
            return answer.substring(2).trim();
        }
        String why = answer.startsWith("error ") ? answer.substring(6) : answer;
        throw new IllegalArgumentException(why);
    }
}
