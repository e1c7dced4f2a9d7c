package pointsto;

import java.io.UnsupportedEncodingException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * Values of annotations that are read by reflection: the JDK makes a proxy of each annotation, whose
 * handler takes the value out of a map.
 */
public class Annotations {
    enum Kind implements Thrower {
        LOUD;

        @Override
        public void act() throws Failure {
            throw new Failure("kind"); //@ site("kind")
        }
    }

    enum Unread implements Thrower {
        NEVER;

        @Override
        public void act() throws Failure {
            throw new Failure("unread"); //@ site("unread")
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Inner {
        Kind[] kinds();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {
        String value();

        String[] more();

        Class<?> type();

        Kind kind();

        Inner inner();

        Unread unread();
    }

    @Marked(value = "a", more = {"b", "c"}, type = String.class, kind = Kind.LOUD, inner = @Inner(kinds = Kind.LOUD), unread = Unread.NEVER)
    static class Holder {
    }

    static Marked mark() {
        return Holder.class.getAnnotation(Marked.class);
    }

    static int string() {
        try {
            return mark().value().getBytes("no charset").length;
        } catch (UnsupportedEncodingException e) { //@ includes("java/lang/String.lookupCharset") experienced("java/lang/String.lookupCharset")
            return 1;
        }
    }

    static int strings() {
        int caught = 0;
        for (String s : mark().more()) {
            try {
                s.getBytes("no charset");
            } catch (UnsupportedEncodingException e) { //@ includes("java/lang/String.lookupCharset") experienced("java/lang/String.lookupCharset")
                caught++;
            }
        }
        return caught;
    }

    static int type() {
        try {
            mark().type().getMethod("no method");
        } catch (NoSuchMethodException e) { //@ includes("java/lang/Class.getMethod") experienced("java/lang/Class.getMethod")
            return 1;
        }
        return 0;
    }

    static int kind() {
        try {
            mark().kind().act();
        } catch (Failure e) { //@ includes("kind") excludes[pta+]("unread") experienced("kind")
            return 1;
        }
        return 0;
    }

    static int inner() {
        int caught = 0;
        for (Thrower k : mark().inner().kinds()) {
            try {
                k.act();
            } catch (Failure e) { //@ includes("kind") excludes[pta+]("unread") experienced("kind")
                caught++;
            }
        }
        return caught;
    }

    static int run() {
        return string() + strings() + type() + kind() + inner();
    }
}
