package gnu.regexp;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import org.doit.muffin.Odd;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Workload 5 of Muffin: characters of a stream, wherever in it they are asked for, from files, archives and connections, one after the other. */
public class Indexed5Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private interface Use {
        void of(CharIndexedInputStream s) throws IOException;
    }

    /** Streams that begin with some text, and go on in several ways. */
    private void each(String first, Use use) throws IOException {
        java.nio.file.Path root = folder.getRoot().toPath();
        for (InputStream[] next : new InputStream[][] {
                {Odd.file(root, ""), Odd.text("more")},
                {Odd.busy(""), Odd.text("more")},
                {Odd.buffered(Odd.file(root, "more"))},
                {Odd.buffered(Odd.connection("more".getBytes()))},
                {Odd.entry(root, "more")}}) {
            InputStream rest = Odd.after(next);
            use.of(new CharIndexedInputStream(first.isEmpty() ? rest : Odd.after(Odd.text(first), rest), 0));
        }
    }

    @Test
    public void theFirst() throws IOException {
        each("", s -> assertEquals('m', s.charAt(0)));
    }

    @Test
    public void theNext() throws IOException {
        each("a", s -> assertEquals('m', s.charAt(1)));
    }

    @Test
    public void someFurtherOn() throws IOException {
        each("a", s -> s.charAt(3));
    }

    @Test
    public void someFarAway() throws IOException {
        each("a", s -> s.charAt(1500));
    }
}
