package cut;

import outside.Driver;

/** The component: entered again while it is active. */
public class Component {
    public static void outer() {
        inner();
    }

    static void inner() {
        Driver.back();
    }

    public static void second() {
        third();
    }

    static void third() { }
}
