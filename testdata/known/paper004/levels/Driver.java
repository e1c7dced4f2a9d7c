package outside;

import cut.Component;

/** Code outside the component: calls it, and is called back. */
public class Driver {
    public static void main(String[] args) {
        Component.outer();
        Component.second();
    }

    public static void back() {
        Component.second();
    }
}
