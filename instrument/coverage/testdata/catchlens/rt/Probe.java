package catchlens.rt;

import java.lang.reflect.Method;

/**
 * Runs the main method of a class, once with each further argument or without any, and prints each
 * time which coverage probes were hit, and a bar.
 */
public final class Probe {
    private static final boolean[][] covers = new boolean[64][];

    public static boolean[] covered(int c, int n) {
        if (covers[c] == null) covers[c] = new boolean[n];
        return covers[c];
    }

    public static void main(String[] args) throws Exception {
        Method main = Class.forName(args[0]).getMethod("main", String[].class);
        for (int i = Math.min(1, args.length - 1); i < args.length; i++) {
            main.invoke(null, (Object) (i == 0 ? new String[0] : new String[] {args[i]}));
            print();
        }
    }

    private static void print() {
        for (int c = 0; c < covers.length; c++) {
            for (int n = 0; covers[c] != null && n < covers[c].length; n++) {
                if (covers[c][n]) System.out.println(c + ":" + n);
                covers[c][n] = false;
            }
        }
        System.out.println("|");
    }
}
