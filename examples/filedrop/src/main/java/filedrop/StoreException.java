package filedrop;

/** A file could not be stored, read or removed. */
public class StoreException extends Exception {
    private static final long serialVersionUID = 1;

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
