package shop;

public class RealClient implements Client {
    @Override
    public String send(String what) {
        try {
            return "sent " + what;
        } catch (RuntimeException e) { // no fault of send comes here: it strikes in place of the code
            return "cannot happen";
        }
    }
}
