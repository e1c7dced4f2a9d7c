import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Compiles as often as it is asked to, as javac does when it is started with the same arguments. A request
 * is how many arguments there are, and each with its length in front; the answer is javac's exit code and
 * what it says. It ends with its standard input.
 */
public class Compilations {
    public static void main(String[] none) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(System.out);
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        while (true) {
            String[] args;
            try {
                args = new String[in.readInt()];
            } catch (EOFException e) {
                return;
            }
            for (int i = 0; i < args.length; i++) {
                byte[] text = new byte[in.readInt()];
                in.readFully(text);
                args[i] = new String(text, "UTF-8");
            }
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int code = javac.run(null, said, said, args);
            out.writeInt(code);
            out.writeInt(said.size());
            said.writeTo(out);
            out.flush();
        }
    }
}
