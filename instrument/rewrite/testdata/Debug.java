import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Everything in Code that carries a pc: lines, variables, type annotations. */
public class Debug {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface T {
        String[] value() default {};

        Class<?> type() default Object.class;
    }

    @Target(ElementType.TYPE_USE)
    @interface U {}

    static <X> X id(X x) { return x; }

    static Object all(Object o, int k) throws IOException {
        List<@T({"a", "b"}) String> list = new @U ArrayList<@T String>();
        for (int i = 0; i < k; i++) {
            @T(type = String.class) long sum = i;
            try (@T AutoCloseable c = () -> list.add("x")) {
                @U String s = (@T String) o;
                if (o instanceof @T Integer) {
                    list.add(s + Debug.<@T String>id("y") + sum);
                }
                throw new @T("new") IOException(s);
            } catch (@T IllegalStateException | @U IllegalArgumentException e) {
                int inner = k;
                list.add(e.getMessage() + inner);
            } catch (@T("caught") ClassCastException e) {
                Function<String, String> f = @T Debug::id;
                list.add(f.apply("z"));
            } catch (Exception e) {
                try {
                    int deep = list.size();
                    throw new IOException("" + deep, e);
                } catch (@U IOException f) {
                    list.add(f.getMessage());
                }
            } finally {
                int last = k;
                list.add("" + last);
            }
        }
        return list;
    }
}
