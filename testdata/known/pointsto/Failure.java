package pointsto;

/** What these programs throw where a checked exception may pass. */
public class Failure extends Exception {
    public Failure(String message) {
        super(message);
    }
}
