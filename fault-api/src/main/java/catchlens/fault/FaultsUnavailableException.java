package catchlens.fault;

/** Says that no faults can be injected into this JVM, and why. */
public class FaultsUnavailableException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public FaultsUnavailableException(String message) {
        super(message);
    }
}
