//go:build slow

package facts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/settings"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// heldSource prints what the fields have that it is given as class and name.
const heldSource = `
import java.lang.reflect.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.stream.Stream;
public class Held {
    static Object instance(Class<?> c) throws Exception {
        if (c.getName().endsWith("FileChannelImpl")) return FileChannel.open(Files.createTempFile("held", ""), StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
        if (c.getName().endsWith("SocksSocketImpl")) {
            Method m = Class.forName("java.net.SocketImpl").getDeclaredMethod("createPlatformSocketImpl", boolean.class);
            m.setAccessible(true);
            Constructor<?> over = c.getDeclaredConstructor(m.getDeclaringClass());
            over.setAccessible(true);
            return over.newInstance(m.invoke(null, false));
        }
        if (c.getName().endsWith("HttpURLConnection")) return java.net.URI.create("http://localhost/").toURL().openConnection();
        Constructor<?> k = c.getDeclaredConstructor();
        k.setAccessible(true);
        return k.newInstance();
    }
    public static void main(String[] args) throws Exception {
        for (String a : args) {
            if (a.startsWith("-")) {
                System.out.println(a + " " + System.getProperty(a.substring(1)));
                continue;
            }
            Class<?> c = Class.forName(a.substring(0, a.lastIndexOf('.')));
            if (a.endsWith("()Z")) {
                Method m = c.getDeclaredMethod(a.substring(a.lastIndexOf('.') + 1, a.length() - 3));
                m.setAccessible(true);
                System.out.println(a + " " + m.invoke((m.getModifiers() & Modifier.STATIC) != 0 ? null : instance(c)));
                continue;
            }
            String name = a.substring(a.lastIndexOf('.') + 1);
            Field f = (Stream.of(c.getDeclaredFields()).anyMatch(x -> x.getName().equals(name)) ? c : c.getNestHost()).getDeclaredField(name);
            f.setAccessible(true);
            Object value = f.get((f.getModifiers() & Modifier.STATIC) != 0 ? null : instance(c));
            System.out.println(a + " " + (value == null || value instanceof Boolean ? value : "some"));
        }
    }
}
`

// JVMs of which nothing is asked have the values of the table.
func TestSettingsOfJVMs(t *testing.T) {
	for _, home := range testjdk.All(t) {
		feature := testjdk.Feature(t, home)
		if feature < 11 {
			continue // runs no source
		}
		file := filepath.Join(t.TempDir(), "Held.java")
		if err := os.WriteFile(file, []byte(heldSource), 0o600); err != nil {
			t.Fatal(err)
		}
		var opens, asks, want []string
		for _, s := range settings.Table {
			if feature < s.First || feature > s.Last {
				continue
			}
			class := strings.ReplaceAll(s.Class, "/", ".")
			ask := class + "." + s.Field
			if strings.HasSuffix(s.Field, "()") || s.OfSystem() || s.OfProxyType() || s.OfNever() {
				ask = "-" + s.Askers()[0]
			}
			module := "java.base/"
			if strings.HasPrefix(class, "com.sun.naming.") {
				module = "java.naming/"
			}
			if ask[0] != '-' { // its field is read
				opens = append(opens, "--add-opens", module+class[:strings.LastIndexByte(class, '.')]+"=ALL-UNNAMED")
			}
			asks = append(asks, ask)
			// the property's, where nothing is the same
			value := [...]string{"false", "true", "null", "some", "null"}[s.Value]
			if interfaces, _ := os.ReadFile("/proc/net/if_inet6"); s.Field == "isIPv6Supported()Z" &&
				len(interfaces) == 0 {
				value = "false" // of a machine without: snapshot.hasIPv6
			}
			want = append(want, fmt.Sprint(ask, " ", value))
		}
		cmd := exec.Command(testjdk.Tool(home, "java"), append(append(opens, file), asks...)...)
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != strings.Join(want, "\n") || len(want) < 6 {
			t.Errorf("JDK %d: %v\n%s\nwant\n%s", feature, err, got, strings.Join(want, "\n"))
		}
	}
}
