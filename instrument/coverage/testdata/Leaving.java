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

    static int begun(String s) {
        int n = Integer.parseInt(s); try { n += s.length(); // JaCoCo has a probe where a try begins
        } catch (NumberFormatException e) {
            n = 0;
        }
        return n;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {
            try {
                if (i == 0) {
                    parsed("x");
                } else if (i == 1) {
                    twoLines("x");
                } else if (i == 2) {
                    begun("x");
                } else {
                    chosen("x");
                }
            } catch (NumberFormatException e) {
                continue;
            }
        }
    }
}
