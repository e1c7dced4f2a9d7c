/** Its test passes the first time in a class loader. */
public class Counting {
    private static int runs;

    public static void testFirst() {
        if (++runs > 1) {
            throw new IllegalStateException("run " + runs);
        }
    }
}
