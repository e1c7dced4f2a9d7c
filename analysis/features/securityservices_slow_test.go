//go:build slow

package features_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// servicesSource prints what the JVM's security providers list.
const servicesSource = `
import java.security.*;
public class Listed {
    public static void main(String[] args) {
        for (Provider p : Security.getProviders())
            for (Provider.Service s : p.getServices())
                System.out.println(String.join("\t", p.getName(), s.getType(), s.getAlgorithm(), s.getClassName().replace('.', '/')));
    }
}
`

// JVMs list the services that are found in the JDK's code, as far as the JDK makes them by
// the names of their classes and getInstance of an engine asks for them.
func TestSecurityServices(t *testing.T) {
	asked := []string{"SUN", "SunRsaSign", "SunEC", "SunJSSE", "SunJCE"}
	for _, home := range testjdk.All(t) {
		if testjdk.Feature(t, home) < 11 {
			continue // runs no source
		}
		file := filepath.Join(t.TempDir(), "Listed.java")
		if err := os.WriteFile(file, []byte(servicesSource), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(testjdk.Tool(home, "java"), file).Output()
		if err != nil {
			t.Fatal(err)
		}
		h := hierarchy.New(programtest.Open(t, home, facts.Options{}, 0))
		found := features.SecurityServices(h)
		listed := 0
		for line := range strings.Lines(string(out)) {
			w := strings.Split(strings.TrimSpace(line), "\t")
			if !slices.Contains(asked, w[0]) {
				continue
			}
			if w[0] == "SunEC" && !h.Present(w[3]) {
				continue // of curves 25519 and 448: it names no class that there is, and makes them with new
			}
			listed++
			if s := (features.SecurityService{Engine: w[1], Algorithm: w[2], Class: w[3]}); !slices.Contains(found, s) {
				t.Errorf("%s: %s lists %+v", home, w[0], s)
			}
		}
		if t.Logf("%s: %d of the JVM, %d of the code", home, listed, len(found)); listed < 250 {
			t.Errorf("%s lists %d services", home, listed)
		}
		for _, s := range found {
			if !h.Present(s.Class) {
				t.Errorf("%s: %+v: there is no such class", home, s)
			}
		}
	}
}

// A constant algorithm asks for its own classes, any other for those of its engine.
func TestSecurityServicesAsked(t *testing.T) {
	h := hierarchy.New(programtest.Open(t, testjdk.JDK(t, 17), facts.Options{}, 0))
	f := features.NewNameFlow(h)
	asks := func(class, owner string, algorithm ...string) []string {
		var args []facts.Const
		for _, a := range algorithm {
			args = append(args, facts.Const{Kind: facts.StringConst, Value: a})
		}
		c := facts.Call{Kind: facts.Static,
			MemberRef: &facts.MemberRef{Owner: owner, Name: "getInstance"}}.WithArgs(args)
		return f.SecurityServices(class, &c)
	}
	for _, c := range []struct {
		class, owner, algorithm string
		want                    []string
	}{
		{"a/B", "java/security/KeyStore", "pkcs12",
			[]string{"sun/security/pkcs12/PKCS12KeyStore$DualFormatPKCS12", "sun/security/pkcs12/PKCS12KeyStore"}},
		{"a/B", "java/security/cert/CertificateFactory", "X.509", []string{"sun/security/provider/X509Factory"}},
		{"a/B", "javax/crypto/Cipher", "RSA/ECB/PKCS1Padding", []string{"com/sun/crypto/provider/RSACipher"}},
		{"a/B", "javax/crypto/Cipher", "AES/GCM/NoPadding",
			[]string{"com/sun/crypto/provider/AESCipher$General", "com/sun/crypto/provider/GaloisCounterMode$AESGCM"}},
		{"java/util/jar/JarVerifier", "java/security/MessageDigest", "MD5", nil},
		{"javax/net/ssl/SSLContext", "javax/net/ssl/SSLContext", "Default",
			[]string{"sun/security/ssl/SSLContextImpl$DefaultSSLContext"}},
		{"sun/security/pkcs12/PKCS12KeyStore", "java/security/MessageDigest", "MD5",
			[]string{"sun/security/provider/MD5"}},
		{"a/B", "a/KeyStore", "PKCS12", nil},
	} {
		if got := asks(c.class, c.owner, c.algorithm); !slices.Equal(got, c.want) {
			t.Errorf("%s asks %s for %s: %q, want %q", c.class, c.owner, c.algorithm, got, c.want)
		}
	}
	for desc, want := range map[string][]string{"()V": {"sun/security/provider/NativePRNG"},
		"([B)V": {"sun/security/provider/NativePRNG"},
		"(Ljava/security/SecureRandomSpi;Ljava/security/Provider;)V": nil} {
		c := facts.Call{Kind: facts.Special,
			MemberRef: &facts.MemberRef{Owner: "java/security/SecureRandom", Name: "<init>", Desc: desc}}
		for _, class := range []string{"a/B", "java/util/UUID$Holder"} {
			if got := f.SecurityServices(class, &c); !slices.Equal(got, want) {
				t.Errorf("%s makes a SecureRandom %s: %q, want %q", class, desc, got, want)
			}
		}
	}
	all, alias := asks("a/B", "java/security/MessageDigest"), asks("a/B", "java/security/MessageDigest", "SHA1")
	if len(all) < 8 || !slices.Equal(all, alias) {
		t.Errorf("any digest: %q; SHA1: %q", all, alias)
	}
}
