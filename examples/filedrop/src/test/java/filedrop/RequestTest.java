package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class RequestTest {
    @Test
    void put() throws ProtocolException {
        Request request = Request.parse("put a.txt 12 ff");
        assertEquals(Request.Verb.PUT, request.verb);
        assertEquals("a.txt", request.name());
        assertEquals(12, request.size());
        assertEquals(255, request.checksum());
    }

    @Test
    void unknownCommand() {
        assertThrows(ProtocolException.class, () -> Request.parse("COPY a b"));
    }

    @Test
    void noNumber() throws ProtocolException {
        Request request = Request.parse("PUT a.txt many ff");
        assertThrows(ProtocolException.class, request::size);
    }

    @Test
    void noName() throws ProtocolException {
        assertThrows(ProtocolException.class, Request.parse("GET")::name);
        assertThrows(ProtocolException.class, Request.parse("GET ../etc")::name);
    }
}
