package catchlens.fault;

/** How long a fault lasts. */
public final class Interval {
    private static final Interval FOREVER = new Interval(0);

    final double seconds; // 0: until it is cancelled

    private Interval(double seconds) {
        this.seconds = seconds;
    }

    /** It lasts until {@link Injection#cancel} is called. */
    public static Interval untilCancelled() {
        return FOREVER;
    }

    /** It ends by itself after some time. */
    public static Interval seconds(double seconds) {
        if (!(seconds > 0 && seconds < 1e9)) {
            throw new IllegalArgumentException("an interval of " + seconds + " seconds");
        }
        return new Interval(seconds);
    }
}
