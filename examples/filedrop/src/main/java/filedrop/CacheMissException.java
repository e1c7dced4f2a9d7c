package filedrop;

/** The cache does not have what it was asked for. */
public class CacheMissException extends Exception {
    private static final long serialVersionUID = 1;

    private final String name;

    public CacheMissException(String name) {
        super("not cached: " + name);
        this.name = name;
    }

    public String name() {
        return name;
    }
}
