package fig3;

/**
 * Figure 3 of paper 000: the call of bar() stands inside a try in foo() and outside any in qux(),
 * so that one of its two exceptions ends in foo() and both pass through qux().
 */
public class Fig3 {
    static class SocketException extends Exception {
    }

    static class TimeoutException extends SocketException {
    }

    static class OtherException extends Exception {
    }

    static int mode;

    static void bar() throws SocketException, OtherException { //@ reachingThrows("socket", "timeout", "other")
        if (mode == 1) {
            throw new SocketException(); //@ site("socket") throws("fig3.Fig3$SocketException")
        }
        if (mode == 2) {
            throw new TimeoutException(); //@ site("timeout") throws("fig3.Fig3$TimeoutException")
        }
        throw new OtherException(); //@ site("other") throws("fig3.Fig3$OtherException")
    }

    static void foo() throws OtherException { //@ reachingThrows("other")
        try {
            bar();
        } catch (SocketException e) { //@ types("fig3.Fig3$SocketException") links("socket", "timeout") arrives("fig3.Fig3$SocketException", "fig3.Fig3$TimeoutException") handlers(1)
            mode = 0;
        }
    }

    static void qux() throws SocketException, OtherException { //@ reachingThrows("socket", "timeout", "other")
        bar();
    }

    static void nest() throws SocketException { //@ reachingThrows("socket")
        try {
            try {
                bar();
            } catch (TimeoutException e) { //@ links("timeout") arrives("fig3.Fig3$TimeoutException")
                mode = 0;
            }
        } catch (OtherException e) { //@ links("other") arrives("fig3.Fig3$OtherException")
            mode = 0;
        }
    }

    static void both() { //@ reachingThrows
        try {
            foo();
            qux();
        } catch (SocketException e) { //@ links("socket", "timeout")
            mode = 0;
        } catch (OtherException e) { //@ links("other")
            mode = 0;
        }
    }

    public static void main(String[] args) throws SocketException { //@ reachingThrows("socket")
        mode = args.length;
        both();
        nest();
    }
}
