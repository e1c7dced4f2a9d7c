import java.lang.annotation.*;
import java.util.*;
import java.util.function.*;

/** Java of level 17; the same comments as in Old.java. */
@Modern.Mark(value = "class", numbers = {1, 2}, type = String[].class, level = RetentionPolicy.CLASS,
        nested = @Modern.Inner(3), tags = {"a", "b"})
public sealed class Modern permits Modern.Left, Modern.Right {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        String value() default "";
        int[] numbers() default {};
        Class<?> type() default void.class;
        RetentionPolicy level() default RetentionPolicy.RUNTIME;
        Inner nested() default @Inner(0);
        String[] tags() default {};
        char letter() default 'x';
        boolean on() default false;
        long big() default 0;
        double real() default 0;
        float small() default 0;
        byte bits() default 0;
        short half() default 0;
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Inner {
        int value();
    }

    static final class Left extends Modern {}

    static non-sealed class Right extends Modern {}

    record Point<T extends Number>(@Inner(5) T x, long y) implements Comparable<Point<T>> {
        public int compareTo(Point<T> o) {
            return Long.compare(y, o.y);
        }
    }

    enum Colour { RED, GREEN }

    @Mark(letter = 'y', on = true, big = 1L << 40, real = 0.5, small = 0.25f, bits = -1, half = -2, type = int.class)
    <T extends Exception> String lambdas(List<String> in, int n) throws T {
        Supplier<String> s = () -> in.get(n); //@ ops invokedynamic
        Function<String, Integer> f = String::length; //@ ops invokedynamic
        return s.get() + f.apply("x") + n; //@ ops invokedynamic areturn
    }

    static int choose(Colour c, String s) {
        int r = switch (c) { //@ ops lookupswitch ; never tableswitch
            case RED -> 1;
            case GREEN -> 2;
        };
        return r + switch (s) { //@ ops lookupswitch
            case "FB", "Ea" -> 3;
            default -> 4;
        };
    }

    static void resources(AutoCloseable a) {
        try (a; AutoCloseable b = () -> {}) { //@ ops invokeinterface
            b.close();
        } catch (IllegalStateException | UnsupportedOperationException e) {
            throw e; //@ ops athrow
        } catch (Exception e) {
            assert false : e; //@ ops getstatic
        }
    }
}
