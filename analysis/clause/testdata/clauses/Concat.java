package clauses;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Text made of objects. The fast test gives the JVM the objects, as javac 9 to 18 does. */
public class Concat {
    interface Feed {
        String take() throws IOException;
    }

    String joins(StringBuilder sb, List<String> list, Feed f) {
        try {
            String s = "x" + sb;
            list.add(s);
            return f.take();
        } catch (IOException e) {       //@ clause("open") prepared("object list: List.add > clause")
            return list.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        new Concat().joins(new StringBuilder(), new ArrayList<>(), () -> "x");
    }
}
