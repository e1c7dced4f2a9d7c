package paper001;

import java.util.HashMap;
import java.util.Map;

/** Listing 2: a source-dependent catch. It reads a variable that the try sets first. */
public class Listing2 {
    static class MissingPropertyException extends Exception {
    }

    static class CacheDisableException extends RuntimeException {
    }

    private final Map<String, String> cache = new HashMap<>();
    private final boolean available;

    Listing2(boolean available) {
        this.available = available;
    }

    void set(String key, String value) {
        cache.put(key, value);
    }

    String lookUp(String key) {
        boolean isCacheActivated = false;
        try {
            isCacheActivated = getCacheAvailability();
            return getProperty(key, isCacheActivated);
        //@ links("paper001/Listing2.getCacheAvailability", "paper001/Listing2.getProperty")
        //@ usages(pink=1, white=1, blue=0) verdict("source-dependent", "not-resilient")
        //@ matrix(fail=2) witness("paper001.Listing2Test#present", "paper001.Listing2Test#absent")
        //@ experienced("paper001/Listing2.getProperty")
        } catch (MissingPropertyException e) {
            if (isCacheActivated) {
                return "missing property";
            } else {
                throw new CacheDisableException();
            }
        }
    }

    private boolean getCacheAvailability() throws MissingPropertyException {
        if (!available) {
            throw new MissingPropertyException();
        }
        return true;
    }

    private String getProperty(String key, boolean cached) throws MissingPropertyException {
        String value = cached ? cache.get(key) : null;
        if (value == null) {
            throw new MissingPropertyException();
        }
        return value;
    }
}
