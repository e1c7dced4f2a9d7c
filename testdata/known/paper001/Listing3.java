package paper001;

import java.util.HashMap;
import java.util.Map;

/** Listing 3: a purely resilient catch. The file has whatever the cache has. */
public class Listing3 {
    static class MissingPropertyException extends Exception {
    }

    private final Map<String, String> cache = new HashMap<>();
    private final Map<String, String> file = new HashMap<>();

    void store(String key, String value) {
        file.put(key, value);
    }

    String read(String key) {
        String value = lookUp(key);
        cache.put(key, value);
        return value;
    }

    private String lookUp(String key) {
        try {
            return getPropertyFromCache(key);
        //@ links("paper001/Listing3.getPropertyFromCache")
        //@ usages(pink=1, white=2, blue=0) verdict("source-independent", "purely-resilient") ground("white-usage")
        //@ matrix(pass=2) experienced("paper001/Listing3.getPropertyFromCache")
        } catch (MissingPropertyException e) {
            return getPropertyFromFile(key);
        }
    }

    private String getPropertyFromCache(String key) throws MissingPropertyException {
        String value = cache.get(key);
        if (value == null) {
            throw new MissingPropertyException();
        }
        return value;
    }

    private String getPropertyFromFile(String key) {
        return file.get(key);
    }
}
