package pointsto;

import java.util.EnumMap;
import java.util.Map;

/** Constants with bodies of their own, and the ways to get at them. */
public class Enums {
    enum Colour {
        RED {
            @Override
            void paint() throws Failure {
                throw new Failure("red"); //@ site("red")
            }
        },
        GREEN {
            @Override
            void paint() throws Failure {
                throw new Failure("green"); //@ site("green")
            }
        };

        abstract void paint() throws Failure;
    }

    static int paint(Colour c) {
        try {
            c.paint();
        } catch (Failure e) { //@ includes("red", "green") experienced("red", "green")
            return 1;
        }
        return 0;
    }

    public static int run() {
        int caught = 0;
        try {
            Colour.RED.paint();
        } catch (Failure e) { //@ includes("red") excludes[pta+]("green") experienced("red")
            caught++;
        }
        for (Colour c : Colour.values()) {
            caught += paint(c);
        }
        try {
            Colour.valueOf("GREEN").paint();
        } catch (Failure e) { //@ includes("green") experienced("green")
            caught++;
        }
        try {
            Enum.valueOf(Colour.class, "RED").paint();
        } catch (Failure e) { //@ includes("red") experienced("red")
            caught++;
        }
        Map<Colour, Thrower> map = new EnumMap<>(Colour.class);
        map.put(Colour.RED, Colour.RED::paint);
        for (Map.Entry<Colour, Thrower> e : map.entrySet()) {
            try {
                e.getKey().paint();
            } catch (Failure f) { //@ includes("red") experienced("red")
                caught++;
            }
            try {
                e.getValue().act();
            } catch (Failure f) { //@ includes("red") experienced("red")
                caught++;
            }
        }
        return caught;
    }
}
