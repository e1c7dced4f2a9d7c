import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Abstract exceptions, and what a test does with their stubs. */
public class Stubs {
    interface Named extends Coded {
        String name();

        default int code() { return 4; } // implements what Coded declares
    }

    interface Coded {
        int code();

        long wide(long a, double b, Object c);
    }

    public abstract static class Upper extends Exception implements Coded {
        protected Upper(String m, Throwable cause) { super(m, cause); }

        public abstract List<String> list();

        protected abstract boolean flag();

        abstract Object done();
    }

    public abstract static class Lower extends Upper implements Named {
        final long a;
        final double b;

        Lower(String m) { this(m, 5, 2.5, null, 1f); }

        protected Lower(String m, long a, double b, int[] c, float d) {
            super(m, c == null ? null : new Error());
            this.a = a;
            this.b = b;
        }

        private Lower() { this("private"); }

        @Override Object done() { return "done"; }

        abstract Map<String, String> map();

        abstract Optional<String> optional();

        abstract float ratio();

        abstract double weight();

        abstract void run();

        abstract char[] chars();
    }

    public static void main(String[] args) throws Exception {
        Class<?> stub = Class.forName("Stubs$Lower$$CatchlensStub");
        System.out.println(stub.getConstructors().length + " constructors"); // 2: not the private one
        for (Constructor<?> c : stub.getConstructors()) {
            Object[] a = c.getParameterCount() == 1 ? new Object[] {"m"} : new Object[] {"n", 6L, 3.5, new int[0], 2f};
            try {
                throw (Lower) c.newInstance(a);
            } catch (Upper e) {
                Lower l = (Lower) e;
                l.run();
                if (!e.getMessage().equals(a[0]) || l.a != 4 + a.length && a.length == 1 || l.b < 2.5) throw new Error("constructor");
                if (!l.list().isEmpty() || l.flag() || !l.done().equals("done") || !l.map().isEmpty()) throw new Error("upper");
                if (l.optional().isPresent() || l.ratio() != 0 || l.weight() != 0 || l.chars() != null) throw new Error("lower");
                if (!l.name().equals("") || l.code() != 4 || l.wide(1, 2, l) != 0) throw new Error("interfaces");
            }
        }
        System.out.println("stubs work");
    }
}
