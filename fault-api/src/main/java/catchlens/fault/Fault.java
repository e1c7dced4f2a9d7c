package catchlens.fault;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A fault that lasts while a test method runs: from after its set-up to before its tear-down in JUnit 5, where
 * nothing else is needed; around what {@link FaultRule} surrounds in JUnit 4.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FaultExtension.class) // without JUnit 5 the JVM leaves it out
public @interface Fault {
    FaultType kind();

    /** The file or folder, relative to the working folder; one that ends in a slash stands for all below it. */
    String path() default "";

    /** The peer, "host:port" or "host"; instead of a path. */
    String peer() default "";

    /** So many matching operations succeed first. */
    int skip() default 0;

    /** The fault is over after it has struck so often; 0: at the end of the test. */
    int times() default 0;

    /**
     * The test fails if the fault never struck: it has not shown then what it is for. Runs in which catchlens throws
     * an exception at the start of a try are excused.
     */
    boolean mustStrike() default true;
}
