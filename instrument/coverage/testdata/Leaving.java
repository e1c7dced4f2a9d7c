/** Lines that an exception leaves in the middle: what JaCoCo's probes tell of them, and what ours do. */
public class Leaving {
    static int parsed(String s) {
        return Integer.parseInt(s); // the return is reached for us, not for JaCoCo
    }

    static int twoLines(String s) {
        int n = Integer.parseInt(s); // JaCoCo has nothing of this line, and no probe to say it with
        return n + 1;
    }

    static int chosen(String s) {
        return s.isEmpty() ? 0 : Integer.parseInt(s); // no probe of JaCoCo's stands between
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            try {
                if (i == 0) {
                    parsed("x");
                } else if (i == 1) {
                    twoLines("x");
                } else {
                    chosen("x");
                }
            } catch (NumberFormatException e) {
                continue;
            }
        }
    }
}
