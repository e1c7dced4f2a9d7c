package javasource

// This file decodes source files.

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
)

var utf8BOM = []byte("\xEF\xBB\xBF")

// DecodeSource converts a source file to UTF-8 without a byte order mark. The
// encoding is a name as javac's -encoding takes it (UTF-8, ISO-8859-1,
// windows-1252, UTF-16, Cp1252, ...); "" means UTF-8. Malformed input never
// fails: such bytes become U+FFFD (in UTF-8 one for each malformed byte, as
// javac does). An unknown encoding is an error; the result is then the input,
// decoded as UTF-8.
func DecodeSource(data []byte, encodingName string) ([]byte, error) {
	enc, err := lookupEncoding(encodingName)
	if err != nil || enc == nil {
		return decodeUTF8(data), err
	}
	out, decodeErr := enc.NewDecoder().Bytes(data)
	if decodeErr != nil { // the decoders replace what is malformed, so this is for odd ends
		out = append(out, "\uFFFD"...)
	}
	return bytes.TrimPrefix(out, utf8BOM), nil
}

// lookupEncoding finds an encoding by any of its names; nil means UTF-8.
func lookupEncoding(name string) (encoding.Encoding, error) {
	key := strings.ToLower(strings.TrimSpace(name))
	switch key {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return nil, nil // ASCII is a part of UTF-8; other bytes are malformed in both
	case "utf-16", "utf16":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), nil // big-endian without a mark
	case "utf-16le", "utf-16be", "x-utf-16le-bom":
		endian := unicode.LittleEndian
		if key == "utf-16be" {
			endian = unicode.BigEndian
		}
		return unicode.UTF16(endian, unicode.IgnoreBOM), nil
	case "latin1", "iso8859_1", "iso8859-1":
		key = "iso-8859-1"
	}
	// Java's historical names: Cp1252, Cp850.
	if n, ok := strings.CutPrefix(key, "cp"); ok {
		if strings.HasPrefix(n, "125") {
			key = "windows-" + n
		} else {
			key = "ibm" + n
		}
	}
	enc, err := ianaindex.IANA.Encoding(key)
	if err != nil || enc == nil {
		if enc, err = htmlindex.Get(key); err != nil { // it knows more aliases
			return nil, fmt.Errorf("unknown encoding %q", name)
		}
	}
	return enc, nil
}

// decodeUTF8 drops a byte order mark and replaces malformed bytes. Well-formed
// input is returned as it is.
func decodeUTF8(data []byte) []byte {
	data = bytes.TrimPrefix(data, utf8BOM)
	if utf8.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		out = utf8.AppendRune(out, r)
		data = data[n:]
	}
	return out
}
