package catchlens.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A fault that was injected. Closing it cancels it. */
public final class Injection implements AutoCloseable {
    private final Engine engine;
    private final String id;
    private final String says;
    private boolean cancelled;
    private int fired;
    private boolean excused;
    private List<String> operations = Collections.emptyList();

    Injection(Engine engine, String id, String says) {
        this.engine = engine;
        this.id = id;
        this.says = says;
    }

    /**
     * Ends the fault; operations that start when this has returned are not struck.
     *
     * @return whether it has struck
     */
    public synchronized boolean cancel() {
        if (!cancelled) {
            cancelled = true;
            String[] lines = engine.ask("cancel", "id=" + id).split("\n");
            String[] first = lines[0].split(" ");
            fired = Integer.parseInt(first[0]);
            excused = first.length > 1;
            List<String> all = new ArrayList<String>();
            for (int i = 1; i < lines.length; i++) {
                all.add(lines[i]);
            }
            operations = Collections.unmodifiableList(all);
        }
        return fired > 0;
    }

    /** How many operations it made fail; known when it has been cancelled. */
    public synchronized int fired() {
        if (!cancelled) {
            throw new IllegalStateException("the fault is still armed");
        }
        return fired;
    }

    /** Whether catchlens did something else in this run that may have kept the fault from striking. */
    synchronized boolean excused() {
        return excused;
    }

    /** What it made fail, such as "write /data/log: no space left on device"; the first ones of very many. */
    public synchronized List<String> operations() {
        return operations;
    }

    @Override
    public void close() {
        cancel();
    }

    @Override
    public String toString() {
        return says;
    }
}
