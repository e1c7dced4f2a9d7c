package catchlens.fault;

import java.util.ArrayList;
import java.util.List;

/** Carries out a {@link Fault} annotation. */
final class FromAnnotation {
    private FromAnnotation() {}

    static Injection inject(Fault f) {
        List<Parameter> parameters = new ArrayList<Parameter>();
        if (!f.path().isEmpty()) {
            parameters.add(Parameter.path(f.path()));
        }
        if (!f.peer().isEmpty()) {
            parameters.add(Parameter.peer(f.peer()));
        }
        if (f.skip() > 0) {
            parameters.add(Parameter.skip(f.skip()));
        }
        if (f.times() > 0) {
            parameters.add(Parameter.times(f.times()));
        }
        return Faults.inject(f.kind(), Interval.untilCancelled(), parameters.toArray(new Parameter[0]));
    }

    /** Ends the fault; passed says that the test did well so far. */
    static void end(Fault f, Injection i, boolean passed) {
        if (!i.cancel() && passed && f.mustStrike() && !i.excused()) {
            throw new AssertionError("the fault never struck: " + i);
        }
    }
}
