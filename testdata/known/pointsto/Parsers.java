package pointsto;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.helpers.DefaultHandler;

/** Parsers of XML: a method of the JDK passes the name of their class to another one, which loads it. */
public class Parsers {
    static class Cut extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("cut"); //@ site("cut")
        }
    }

    /** Nobody reads it. */
    static class Closed extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("closed"); //@ site("closed")
        }
    }

    static class Refuses extends DefaultHandler {
        @Override
        public void startElement(String uri, String local, String name, Attributes attributes) {
            throw new IllegalStateException("refused"); //@ site("refused")
        }
    }

    public static int run() throws Exception {
        int caught = 0;
        InputStream unread = new Closed();
        try {
            DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new Cut());
        } catch (IOException e) { //@ includes("cut") excludes[inpta-dr+]("closed") experienced("cut")
            caught++;
        }
        try {
            SAXParserFactory.newInstance().newSAXParser().parse(new InputSource(new StringReader("<a/>")), new Refuses());
        } catch (IllegalStateException e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        return unread == null ? 0 : caught;
    }
}
