package filedrop;

/** The other side does not speak the protocol. */
public class ProtocolException extends Exception {
    private static final long serialVersionUID = 1;

    public ProtocolException(String message) {
        super(message);
    }
}
