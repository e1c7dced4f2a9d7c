package clauses;

/** How far a try came, told by what each turn sets once its calls have returned. */
class Counting {
    static class Odd extends Exception {
    }

    int turns;
    int last;

    static void check(int c) throws Odd {
        if (c == '!') {
            throw new Odd();
        }
    }

    /** The update of a loop runs after the call, and before the next one. */
    static String update(String s) {
        int i = 0;
        try {
            for (; i < s.length(); i++) {
                check(s.charAt(i));
            }
            return "all";
        } catch (Odd e) { //@ clause("open") prepared("local i: ? > clause")
            return "at " + i;
        }
    }

    /** It is read after the clause. */
    static int after(String s) {
        int done = 0;
        try {
            do {
                check(s.charAt(done));
                done++;
            } while (done < s.length());
        } catch (Odd e) { //@ clause("open") prepared("local done: ? > after returns")
            System.identityHashCode(e);
        }
        return done;
    }

    /** The clause sets it anew. */
    static int anew(String s) {
        int done = 0;
        try {
            do {
                check(s.charAt(done));
                done++;
            } while (done < s.length());
        } catch (Odd e) { //@ clause("unaffected") prepared()
            done = -1;
        }
        return done;
    }

    /** Its value is that of each turn, which is set before the first call. */
    static int copied(int n) {
        int twice = 0;
        int k = 0;
        try {
            do {
                twice = 2 * k;
                check(twice);
                k++;
            } while (k < n);
            return -1;
        } catch (Odd e) { //@ clause("open") prepared("local twice: ? > clause returns")
            return twice;
        }
    }

    /** So is that of a field. */
    int kept(int n) {
        int k = 0;
        try {
            do {
                last = k;
                check(n);
                k++;
            } while (k < n);
            return -1;
        } catch (Odd e) { //@ clause("open") prepared("field Counting.last: ? > clause returns")
            return last;
        }
    }

    /** Each turn is another try. */
    static int apart(String s) {
        int i = 0;
        int odd = 0;
        while (i < s.length()) {
            try {
                check(s.charAt(i));
            } catch (Odd e) { //@ clause("open") prepared()
                odd++;
            }
            i++;
        }
        return odd;
    }

    public static void main(String[] args) {
        Counting c = new Counting();
        c.turns = update(args[0]).length() + after(args[0]) + anew(args[0]) + copied(3) + c.kept(3) + apart(args[0]);
    }
}
