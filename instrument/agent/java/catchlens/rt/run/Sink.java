package catchlens.rt.run;

/** What an adapter tells while it discovers or runs tests. */
public interface Sink {
    /** Discovery: a test. dynamic: a container whose tests are known only when it runs. */
    void found(String id, String cls, String method, String display, String[] tags, boolean dynamic);

    /** Discovery: something that cannot become a test. */
    void problem(String cls, Throwable t);

    /** A class container starts: what happens now belongs to its fixtures. */
    void classStart(String cls);

    /** A class container has ended; failure is that of its fixtures, or null. */
    void classEnd(String cls, Throwable failure);

    void testStart(String id, String cls, String method, String display);

    /** failure null: passed; skipped: aborted by an assumption, with its reason in failure. */
    void testEnd(String id, Throwable failure, boolean skipped);

    /** A test that was not run. */
    void testSkipped(String id, String cls, String method, String display, String reason);
}
