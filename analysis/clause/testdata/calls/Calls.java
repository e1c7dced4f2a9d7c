package calls;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Which calls the clause makes and the try does not. */
public class Calls {
    interface Station {
        void open() throws IOException;

        int read() throws IOException;

        void close();

        void reset();

        void log(String s);
    }

    final Station station;

    Calls(Station s) {
        station = s;
    }

    int direct() {
        boolean open = false;
        try {
            station.open();
            open = true;
            return station.read();
        //@ alone("close", "log") notalone("open", "read", "reset", "equals")
        } catch (IOException e) {
            if (open) {
                station.close();
            }
        }
        station.log("after");
        return 0;
    }

    int indirect() {
        try {
            prepare();
            run(station::close);
            return give(() -> {
                station.log("in a lambda");
                return station;
            }).read();
        //@ alone("isEmpty") notalone("reset", "close", "log", "open")
        } catch (IOException e) {
            station.log("clause");
            tidy("");
            station.close();
            return -1;
        }
    }

    int handed(Map<String, Integer> known) {
        Function<String, Integer> find = k -> {
            station.reset();
            return k.length();
        };
        try {
            return known.computeIfAbsent("a", find);
        //@ alone("close") notalone("reset")
        } catch (IllegalStateException e) {
            station.reset();
            station.close();
            return -1;
        }
    }

    void prepare() throws IOException {
        station.open();
        station.reset();
    }

    void tidy(String s) {
        if (s.isEmpty()) {
            station.reset();
        }
    }

    static void run(Runnable r) {
        r.run();
    }

    static Station give(Supplier<Station> s) {
        return s.get();
    }

    public static void main(String[] args) {
        Calls c = new Calls(null);
        System.out.println(c.direct() + c.indirect() + c.handed(new HashMap<>()));
    }
}
