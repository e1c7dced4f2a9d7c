package paper001;

import java.util.HashMap;
import java.util.Map;

/** Listing 1: a source-independent catch. It reads nothing that the try sets. */
public class Listing1 {
    static class MissingPropertyException extends Exception {
        MissingPropertyException(String message) {
            super(message);
        }
    }

    private final Map<String, String> properties = new HashMap<>();
    private final String[] arguments;
    private final boolean isCacheActivated = true;

    Listing1(String... arguments) {
        this.arguments = arguments;
    }

    void set(String key, String value) {
        properties.put(key, value);
    }

    String lookUp() {
        try {
            String arg = getArgument();
            String key = format(arg);
            return getProperty(key, isCacheActivated);
        //@ links("paper001/Listing1.getArgument", "paper001/Listing1.format", "paper001/Listing1.getProperty") handlers(1)
        //@ usages(pink=1, white=2, blue=0) verdict("source-independent", "not-resilient") ground("white-usage")
        //@ matrix(pass=2, fail=1) witness("paper001.Listing1Test#present")
        //@ experienced("paper001/Listing1.getArgument", "paper001/Listing1.getProperty")
        } catch (MissingPropertyException e) {
            return "missing property";
        }
    }

    private String getArgument() throws MissingPropertyException {
        if (arguments.length == 0) {
            throw new MissingPropertyException("no argument"); //@ throws("paper001.Listing1$MissingPropertyException")
        }
        return arguments[0];
    }

    private String format(String arg) throws MissingPropertyException {
        if (arg.isEmpty()) {
            throw new MissingPropertyException("no name");
        }
        return arg.trim().toLowerCase();
    }

    private String getProperty(String key, boolean cached) throws MissingPropertyException {
        String value = properties.get(key);
        if (value == null) {
            throw new MissingPropertyException(key + (cached ? " is in no cache" : " is in no file"));
        }
        return value;
    }
}
