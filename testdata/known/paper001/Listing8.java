package paper001;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Listing 8: a source-dependent catch. The step that it reports is written in the try. */
public class Listing8 {
    static class Result {
        final String step;
        final Throwable failure;
        String parametrisedStep;

        private Result(String step, Throwable failure) {
            this.step = step;
            this.failure = failure;
        }

        static Result successful(String step) {
            return new Result(step, null);
        }

        static Result failed(String step, Throwable failure) {
            return new Result(step, failure);
        }

        Result withParameterValues(String parametrised) {
            parametrisedStep = parametrised;
            return this;
        }
    }

    private final String stepAsString;
    private final Method method;
    private String parametrisedStep;

    Listing8(String stepAsString, Method method) {
        this.stepAsString = stepAsString;
        this.method = method;
    }

    Result perform(Object target, String argument) throws IllegalAccessException {
        try {
            parametriseStep(argument);
            method.invoke(target, argument);
            return Result.successful(stepAsString).withParameterValues(parametrisedStep);
        //@ usages(pink=1, white=1, blue=0) verdict("not-resilient") paper("source-dependent")
        //@ matrix(fail=2) witness("paper001.Listing8Test#succeeds", "paper001.Listing8Test#fails")
        } catch (InvocationTargetException e) {
            return Result.failed(stepAsString, e.getCause()).withParameterValues(parametrisedStep);
        }
    }

    private void parametriseStep(String argument) {
        parametrisedStep = stepAsString.replace("$name", "<" + argument + ">");
    }
}
