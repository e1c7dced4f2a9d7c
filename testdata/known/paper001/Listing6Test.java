package paper001;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.Test;

public class Listing6Test {
    private static void check(Class<?> wanted, Collection<?> prototype) throws Exception {
        Object made = Listing6.instantiable(prototype).getDeclaredConstructor().newInstance();
        assertTrue(made + " is no " + wanted, wanted.isInstance(made));
    }

    @Test
    public void linkedList() throws Exception {
        check(LinkedList.class, new LinkedList<>());
    }

    @Test
    public void sortedSet() throws Exception {
        check(SortedSet.class, new TreeSet<>());
    }

    @Test
    public void set() throws Exception {
        check(Set.class, new LinkedHashSet<>());
    }

    @Test
    public void listWithoutConstructor() throws Exception {
        check(List.class, Arrays.asList("a", "b"));
    }

    @Test
    public void setWithoutConstructor() throws Exception {
        check(Set.class, Collections.unmodifiableSet(new LinkedHashSet<>()));
    }
}
