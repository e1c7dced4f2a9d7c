package impossible;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;

/** What is not so in Addresses, as the connection is configured. */
public class Uploads {
    static int send(String address, byte[] content) {
        System.setProperty("http.auth.digest.validateServer", "true");
        try {
            HttpURLConnection c = (HttpURLConnection) new URL(address).openConnection();
            c.setDoOutput(true);
            c.setChunkedStreamingMode(0);
            try (OutputStream out = c.getOutputStream()) {
                out.write(content);
            }
            try (InputStream in = c.getInputStream()) {
                return in.readAllBytes().length;
            }
        } catch (IOException e) { //@ includes("sun.net.www.protocol.http.HttpURLConnection.getInputStream0","sun.net.www.protocol.http.HttpURLConnection.followRedirect0","sun.net.www.protocol.http.HttpURLConnection.expect100Continue","sun.net.www.protocol.http.HttpURLConnection.getOutputStream0","sun.net.www.protocol.http.HttpURLConnection$StreamingOutputStream.close","sun.net.www.protocol.http.DigestAuthentication.checkResponse")
            return 0;
        }
    }

    public static void main(String[] args) {
        System.out.println(send(args[0], new byte[10]));
    }
}
