package catchlens.rt.record;

/** The part of the agent that rewritten code names. */
public final class Chains {
    private Chains() {}

    /** A method on the stack. */
    public static final class Frame {}
}
