package observed;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** A proxy runs the handler that who makes it passes, not those of other makers. */
public class Handlers {
    public static class Gone extends Exception {
        Gone(String message) {
            super(message);
        }
    }

    interface OfMade {
        void call() throws Gone;
    }

    interface OfItself {
        void call() throws Gone;
    }

    interface OfField {
        void call() throws Gone;
    }

    interface OfParameter {
        void call() throws Gone;
    }

    interface OfEither {
        void call() throws Gone;
    }

    interface OfResult {
        void call() throws Gone;
    }

    interface OfCast {
        void call() throws Gone;
    }

    interface OfPassed {
        void call() throws Gone;
    }

    interface OfAny {
        void call() throws Gone;
    }

    static class Made implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Gone("byMade");
        }
    }

    static class Itself implements InvocationHandler {
        Object make() {
            return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {OfItself.class}, this);
        }

        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Gone("byItself");
        }
    }

    /** Has a subclass, whose objects are what a variable of it may hold. */
    static class Kept implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Gone("byKept");
        }
    }

    static class KeptBelow extends Kept {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Gone("byKeptBelow");
        }
    }

    static class Inherits extends Made {
    }

    static class OfWhatIsPassed implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Gone("byPassed");
        }
    }

    static class Maker {
        private final Kept kept = new KeptBelow();

        static Object ofMade() {
            return Proxy.newProxyInstance(Maker.class.getClassLoader(), new Class<?>[] {OfMade.class}, new Made());
        }

        Object ofField() {
            return Proxy.newProxyInstance(Maker.class.getClassLoader(), new Class<?>[] {OfField.class}, kept);
        }

        static Object ofParameter(Inherits h) {
            return Proxy.newProxyInstance(Maker.class.getClassLoader(), new Class<?>[] {OfParameter.class}, h);
        }

        static Object ofEither(boolean first) {
            return Proxy.newProxyInstance(Maker.class.getClassLoader(), new Class<?>[] {OfEither.class},
                first ? new Made() : new Kept());
        }

        private static Itself handler() {
            return new Itself();
        }

        static Object ofResult() {
            return Proxy.newProxyInstance(Maker.class.getClassLoader(), new Class<?>[] {OfResult.class}, handler());
        }

        static Object ofCast(Object handler) {
            return Proxy.newProxyInstance(Maker.class.getClassLoader(), new Class<?>[] {OfCast.class}, (Itself) handler);
        }

        static Object ofAny(List<InvocationHandler> handlers) {
            return Proxy.newProxyInstance(Maker.class.getClassLoader(), new Class<?>[] {OfAny.class}, handlers.get(0));
        }

        static <T> T ofPassed(Class<T> type) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new OfWhatIsPassed()));
        }
    }

    public static int run() {
        int caught = 0;
        try {
            ((OfMade) Maker.ofMade()).call();
        } catch (Gone e) { // made
            caught++;
        }
        try {
            ((OfItself) new Itself().make()).call();
        } catch (Gone e) { // itself
            caught++;
        }
        try {
            ((OfField) new Maker().ofField()).call();
        } catch (Gone e) { // field
            caught++;
        }
        try {
            ((OfParameter) Maker.ofParameter(new Inherits())).call();
        } catch (Gone e) { // parameter
            caught++;
        }
        for (boolean first : new boolean[] {true, false}) {
            try {
                ((OfEither) Maker.ofEither(first)).call();
            } catch (Gone e) { // either
                caught++;
            }
        }
        try {
            ((OfResult) Maker.ofResult()).call();
        } catch (Gone e) { // result
            caught++;
        }
        try {
            ((OfCast) Maker.ofCast(new Itself())).call();
        } catch (Gone e) { // cast
            caught++;
        }
        List<InvocationHandler> list = new ArrayList<>();
        list.add((p, m, a) -> new Kept().invoke(p, m, a));
        try {
            ((OfAny) Maker.ofAny(list)).call();
        } catch (Gone e) { // any
            caught++;
        }
        try {
            Maker.ofPassed(OfPassed.class).call();
        } catch (Gone e) { // passed
            caught++;
        }
        return caught;
    }
}
