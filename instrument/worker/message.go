package worker

// This file chooses messages for injected exceptions.

import "strings"

// realisticMessages are messages that the JDK's own objects of these classes
// carry, so that handlers that read them find what they expect.
var realisticMessages = map[string]string{
	"java.io.FileNotFoundException":                "missing.txt (No such file or directory)",
	"java.io.IOException":                          "Input/output error",
	"java.io.EOFException":                         "Unexpected end of file",
	"java.io.UnsupportedEncodingException":         "x-unknown",
	"java.io.UTFDataFormatException":               "malformed input around byte 0",
	"java.io.NotSerializableException":             "java.lang.Object",
	"java.io.UncheckedIOException":                 "java.io.IOException: Input/output error",
	"java.nio.file.NoSuchFileException":            "missing.txt",
	"java.nio.file.AccessDeniedException":          "missing.txt",
	"java.nio.file.FileAlreadyExistsException":     "missing.txt",
	"java.nio.charset.UnsupportedCharsetException": "x-unknown",
	"java.nio.charset.IllegalCharsetNameException": "x unknown",
	"java.net.MalformedURLException":               "no protocol: missing",
	"java.net.URISyntaxException":                  "Illegal character in path",
	"java.net.UnknownHostException":                "unknown.invalid",
	"java.net.ConnectException":                    "Connection refused",
	"java.net.SocketException":                     "Connection reset",
	"java.net.SocketTimeoutException":              "Read timed out",
	"java.net.BindException":                       "Address already in use",
	"java.lang.NumberFormatException":              `For input string: "x"`,
	"java.lang.ArrayIndexOutOfBoundsException":     "Index 0 out of bounds for length 0",
	"java.lang.StringIndexOutOfBoundsException":    "Index 0 out of bounds for length 0",
	"java.lang.IndexOutOfBoundsException":          "Index 0 out of bounds for length 0",
	"java.lang.NegativeArraySizeException":         "-1",
	"java.lang.ArithmeticException":                "/ by zero",
	"java.lang.ClassNotFoundException":             "missing.Type",
	"java.lang.NoClassDefFoundError":               "missing/Type",
	"java.lang.NoSuchMethodException":              "missing.Type.method()",
	"java.lang.NoSuchFieldException":               "field",
	"java.lang.ClassCastException":                 "class java.lang.Object cannot be cast to class java.lang.String",
	"java.lang.CloneNotSupportedException":         "java.lang.Object",
	"java.lang.InterruptedException":               "sleep interrupted",
	"java.lang.OutOfMemoryError":                   "Java heap space",
	"java.lang.UnsatisfiedLinkError":               "no missing in java.library.path",
	"java.security.NoSuchAlgorithmException":       "X-UNKNOWN MessageDigest not available",
	"java.text.ParseException":                     `Unparseable date: "x"`,
	"java.util.MissingResourceException":           "Can't find bundle for base name missing, locale en",
	"java.util.NoSuchElementException":             "No value present",
}

// RealisticMessage is a message for an exception of the class (binary name) that
// a real object could carry; never empty.
func RealisticMessage(class string) string {
	if m, ok := realisticMessages[class]; ok {
		return m
	}
	simple := class[strings.LastIndexAny(class, ".$")+1:]
	simple = strings.TrimSuffix(strings.TrimSuffix(simple, "Exception"), "Error")
	words := splitCamel(simple)
	if words == "" {
		return "Operation failed"
	}
	return words
}

// splitCamel turns "ConnectionReset" into "Connection reset".
func splitCamel(s string) string {
	var b strings.Builder
	for i, r := range s {
		upper := r >= 'A' && r <= 'Z'
		if i > 0 && upper && s[i-1] >= 'a' && s[i-1] <= 'z' {
			b.WriteByte(' ')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
