package filedrop;

/** The configuration cannot be used. */
public class SettingsException extends Exception {
    private static final long serialVersionUID = 1;

    public SettingsException(String message, Throwable cause) {
        super(message, cause);
    }
}
