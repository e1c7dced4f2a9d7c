package pointsto;

/** Objects of its subclasses tell by what they throw which of them got here. */
public interface Thrower {
    void act() throws Failure;
}
