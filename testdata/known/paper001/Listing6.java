package paper001;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Listing 6: a purely resilient catch. What it chooses is as good as what the try returns. */
public class Listing6 {
    static Class<?> instantiable(Collection<?> prototype) {
        Class<?> clazz = prototype.getClass();
        try {
            prototype.getClass().getDeclaredConstructor();
            return clazz;
        //@ includes("java/lang/Class.getConstructor0") experienced("java/lang/Class.getConstructor0")
        //@ usages(pink=3, white=2, blue=0) verdict("source-independent", "purely-resilient") ground("white-usage")
        //@ matrix(pass=5)
        } catch (NoSuchMethodException e) {
            if (LinkedList.class.isAssignableFrom(clazz)) {
                return LinkedList.class;
            } else if (List.class.isAssignableFrom(clazz)) {
                return ArrayList.class;
            } else if (SortedSet.class.isAssignableFrom(clazz)) {
                return TreeSet.class;
            } else {
                return LinkedHashSet.class;
            }
        }
    }
}
