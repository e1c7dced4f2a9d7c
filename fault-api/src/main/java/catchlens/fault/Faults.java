package catchlens.fault;

import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;

/**
 * Injects faults into the environment of this JVM: a disk that is full, a peer that resets its connections. The
 * operation fails below the JVM; what the program sees of it is what it would see in the field.
 *
 * <pre>
 * try (Injection full = Faults.inject(FaultType.DISK_FULL, Interval.untilCancelled(), Parameter.path(log))) {
 *     assertFalse(journal.append("entry"));
 * }
 * </pre>
 *
 * <p>Fu et al., DSN 2003, section 3.2: inject(faultType, interval, parameters).
 */
public final class Faults {
    private Faults() {}

    /**
     * Injects a fault.
     *
     * <p>Where nothing can carry it out, because the tests do not run under catchlens, the running test is given up
     * in the way of its framework (aborted, assumption failed, skipped): it must not pass as if the fault had
     * happened. Outside a test that is a {@link FaultsUnavailableException}.
     *
     * @param interval how long it lasts
     * @param parameters one path or peer, and what else narrows it down
     * @throws IllegalArgumentException if there is no such fault
     */
    public static Injection inject(FaultType type, Interval interval, Parameter... parameters) {
        StringBuilder query = new StringBuilder("kind=").append(type.kind());
        StringBuilder says = new StringBuilder(type.name());
        if (interval.seconds > 0) {
            query.append("&interval=").append(interval.seconds);
        }
        for (Parameter p : parameters) {
            query.append('&').append(p.name).append('=').append(encode(p.value));
            says.append(' ').append(p.name).append(' ').append(p.value);
        }
        try {
            return new Injection(Engine.INSTANCE, Engine.INSTANCE.ask("inject", query.toString()), says.toString());
        } catch (FaultsUnavailableException e) {
            throw GiveUp.exception(e);
        }
    }

    /** Why no faults can be injected here, or null: they can. */
    public static String unavailable() {
        return Engine.INSTANCE.missing();
    }

    private static String encode(String value) {
        try {
            return URLEncoder.encode(value, "UTF-8");
        } catch (UnsupportedEncodingException e) {
            throw new AssertionError(e);
        }
    }
}
