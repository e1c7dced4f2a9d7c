import java.io.File;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.xml.sax.ErrorHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXParseException;

/** Holds a document against a DTD that stands on the class path; exits with 1 where it breaks it. */
public class Validate {
    public static void main(String[] args) throws Exception {
        DocumentBuilderFactory f = DocumentBuilderFactory.newInstance();
        f.setValidating(true);
        DocumentBuilder b = f.newDocumentBuilder();
        b.setEntityResolver((publicId, systemId) -> new InputSource(Validate.class.getResourceAsStream(args[1])));
        boolean[] broken = new boolean[1];
        b.setErrorHandler(new ErrorHandler() {
            private void say(SAXParseException e) {
                broken[0] = true;
                System.out.println(e.getLineNumber() + ": " + e.getMessage());
            }

            @Override public void warning(SAXParseException e) { say(e); }

            @Override public void error(SAXParseException e) { say(e); }

            @Override public void fatalError(SAXParseException e) throws SAXParseException { throw e; }
        });
        b.parse(new File(args[0]));
        System.exit(broken[0] ? 1 : 0);
    }
}
