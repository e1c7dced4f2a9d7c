import java.io.File;
import java.io.PrintStream;
import java.util.Scanner;

/**
 * Links, and so verifies, the classes that the file args[0] names, a binary
 * name each line. Prints "bad NAME ERROR" for each that does not verify,
 * "missing NAME ERROR" for each that needs a class that is not there, and
 * "linked COUNT" at the end.
 */
public class Link {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        int linked = 0;
        try (Scanner in = new Scanner(new File(args[0]), "UTF-8")) {
            while (in.hasNextLine()) {
                String name = in.nextLine();
                try {
                    // HotSpot links a class before it lists the constructors.
                    Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredConstructors();
                    linked++;
                } catch (NoClassDefFoundError | ClassNotFoundException | TypeNotPresentException e) {
                    out.println("missing " + name + " " + e);
                } catch (LinkageError e) {
                    out.println("bad " + name + " " + e.toString().replace('\n', ' '));
                }
            }
        }
        out.println("linked " + linked);
        out.flush();
    }
}
