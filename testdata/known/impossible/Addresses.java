package impossible;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;

/** Nobody configures a connection: no output is streamed, and answers of servers are not validated. */
public class Addresses {
    static int size(String address) {
        try (InputStream in = new URL(address).openStream()) {
            return in.readAllBytes().length;
        } catch (IOException e) { //@ includes("sun.net.www.protocol.http.HttpURLConnection.getInputStream0","sun.net.www.protocol.http.HttpURLConnection.followRedirect") excludes("sun.net.www.protocol.http.HttpURLConnection.followRedirect0","sun.net.www.protocol.http.HttpURLConnection.expect100Continue","sun.net.www.protocol.http.HttpURLConnection.getOutputStream0","sun.net.www.protocol.http.HttpURLConnection$StreamingOutputStream.close","sun.net.www.protocol.http.DigestAuthentication.checkResponse")
            return 0;
        }
    }

    public static void main(String[] args) {
        System.out.println(size(args[0]));
    }
}
