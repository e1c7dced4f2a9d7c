package pointsto;

import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/** Engines that the JDK's security providers list by the names of their classes. */
public class Engines {
    static class Cut extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("cut"); //@ site("cut store")
        }
    }

    static class Lost implements SecretKey {
        @Override
        public String getAlgorithm() {
            return "AES";
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public byte[] getEncoded() {
            throw new IllegalStateException("lost"); //@ site("lost key")
        }
    }

    public static int run() throws GeneralSecurityException {
        int caught = 0;
        try {
            KeyStore.getInstance("PKCS12").load(new Cut(), new char[0]);
        } catch (IOException e) { //@ includes("cut store") experienced("cut store")
            caught++;
        }
        try {
            KeyStore.getInstance(KeyStore.getDefaultType()).load(new Cut(), new char[0]);
        } catch (IOException e) { //@ includes("cut store") experienced("cut store")
            caught++;
        }
        try {
            CertificateFactory.getInstance("X.509").generateCertificate(new Cut());
        } catch (CertificateException e) { //@ excludes("cut store")
            caught++;
        }
        try {
            Cipher.getInstance("AES/CBC/PKCS5Padding").init(Cipher.ENCRYPT_MODE, new Lost());
        } catch (IllegalStateException e) { //@ includes("lost key") experienced("lost key")
            caught++;
        }
        try {
            Mac.getInstance("HmacSHA256").init(new Lost());
        } catch (IllegalStateException e) { //@ includes("lost key") experienced("lost key")
            caught++;
        }
        return caught;
    }
}
