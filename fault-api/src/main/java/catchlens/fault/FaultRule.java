package catchlens.fault;

import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/** Carries out {@link Fault} in JUnit 4: {@code @Rule public FaultRule faults = new FaultRule();}. */
public final class FaultRule implements TestRule {
    @Override
    public Statement apply(final Statement base, Description description) {
        final Fault f = description.getAnnotation(Fault.class);
        if (f == null) {
            return base;
        }
        return new Statement() {
            @Override
            public void evaluate() throws Throwable {
                Injection i = FromAnnotation.inject(f);
                boolean passed = false;
                try {
                    base.evaluate();
                    passed = true;
                } finally {
                    FromAnnotation.end(f, i, passed);
                }
            }
        };
    }
}
