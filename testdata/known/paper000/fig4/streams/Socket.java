package streams;

public class Socket {
    public InputStream getInputStream() { //@ reachingThrows
        return new SocketIn(this);
    }
}
