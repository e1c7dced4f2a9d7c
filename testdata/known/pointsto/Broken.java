package pointsto;

/** What these programs throw where a checked exception may not pass. */
public class Broken extends RuntimeException {
    public Broken(String message) {
        super(message);
    }
}
