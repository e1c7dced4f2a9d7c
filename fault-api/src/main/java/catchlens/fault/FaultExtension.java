package catchlens.fault;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Carries out {@link Fault} in JUnit 5; the annotation brings it. */
public final class FaultExtension implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(FaultExtension.class);

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        Fault f = context.getRequiredTestMethod().getAnnotation(Fault.class);
        if (f != null) {
            context.getStore(NAMESPACE).put("injection", FromAnnotation.inject(f));
        }
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        Injection i = context.getStore(NAMESPACE).remove("injection", Injection.class);
        if (i != null) {
            Fault f = context.getRequiredTestMethod().getAnnotation(Fault.class);
            FromAnnotation.end(f, i, !context.getExecutionException().isPresent());
        }
    }
}
