package org.doit.muffin;

import java.io.IOException;
import java.io.InputStream;

/** Answers of filters. */
public final class Supplied {
    private Supplied() {
    }

    /** An answer with some content. */
    public static Reply reply(InputStream content) throws IOException {
        Reply r = new Reply();
        r.read(Odd.text("HTTP/1.0 200 OK\r\nContent-type: text/plain\r\n\r\n"));
        r.setContent(content);
        return r;
    }
}
