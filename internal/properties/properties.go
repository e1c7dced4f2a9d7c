// Package properties reads .properties as java.util.Properties.load does.
package properties

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/catchlens/catchlens/internal/bounded"
)

// Read reads a properties file, which is in ISO 8859-1; nil if it cannot be read or has
// an escape that Java refuses.
func Read(file string) map[string]string {
	data, err := bounded.Read(file, bounded.Text)
	if err != nil {
		return nil
	}
	text := make([]rune, len(data))
	for i, b := range data {
		text[i] = rune(b)
	}
	out, err := Parse(string(text))
	if err != nil {
		return nil
	}
	return out
}

// errEscape is Java's "Malformed \\uxxxx encoding", for which it refuses the whole text.
var errEscape = errors.New("malformed \\uxxxx encoding")

// space is what separates keys and values, beside one = or :, and begins lines.
const space = " \t\f"

// Parse reads the entries of a properties text; of a key that is there twice, the last
// one. The error is that of a malformed escape.
func Parse(text string) (map[string]string, error) {
	out := map[string]string{}
	for text != "" {
		var line string
		var ok bool
		if line, text, ok = logicalLine(text); !ok {
			continue
		}
		end := keyEnd(line)
		v := strings.TrimLeft(line[end:], space)
		if v != "" && (v[0] == '=' || v[0] == ':') {
			v = strings.TrimLeft(v[1:], space)
		}
		key, err := unescape(line[:end])
		if err != nil {
			return nil, err
		}
		if out[key], err = unescape(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// logicalLine is the first line of a text with those that continue it, after an odd number of
// backslashes, and without white space at the beginning of each; ok is false for a comment or an
// empty one. As for Java, a backslash alone begins no line: a comment may follow it; at the end of
// the text it is an entry without a name, but not before a carriage return and a line feed.
func logicalLine(text string) (line, rest string, ok bool) {
	line, rest = naturalLine(text)
	if line == "" || line[0] == '#' || line[0] == '!' {
		return "", rest, false
	}
	for continues(line) {
		line = line[:len(line)-1]
		if rest == "" && (line != "" || !strings.HasSuffix(text, "\r\n")) {
			return line, rest, true
		}
		if line == "" {
			return "", rest, false
		}
		var next string
		next, rest = naturalLine(rest)
		line += next
	}
	return line, rest, true
}

// naturalLine is the first line of a text without white space at its beginning, and what follows.
func naturalLine(text string) (line, rest string) {
	end := strings.IndexAny(text, "\r\n")
	if end < 0 {
		return strings.TrimLeft(text, space), ""
	}
	rest = text[end+1:]
	if text[end] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return strings.TrimLeft(text[:end], space), rest
}

// continues tells whether a line ends with a backslash that no other one escapes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// keyEnd is where the key of a line ends.
func keyEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '=' || line[i] == ':' || strings.IndexByte(space, line[i]) >= 0:
			return i
		}
	}
	return len(line)
}

// unescape replaces the escapes of a key or a value. The error is errEscape.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var units []uint16 // escapes may be halves of a character
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			n := strings.IndexByte(s[i+1:], '\\') + 1
			if n == 0 {
				n = len(s) - i
			}
			units = append(units, utf16.Encode([]rune(s[i:i+n]))...)
			i += n
			continue
		}
		i += 2
		switch c := s[i-1]; c {
		case 'n':
			units = append(units, '\n')
		case 't':
			units = append(units, '\t')
		case 'r':
			units = append(units, '\r')
		case 'f':
			units = append(units, '\f')
		case 'u':
			n, err := strconv.ParseUint(s[i:min(i+4, len(s))], 16, 16)
			if err != nil || i+4 > len(s) {
				return "", errEscape
			}
			units = append(units, uint16(n))
			i += 4
		default:
			i-- // the character stands for itself
			end := i + 1
			for end < len(s) && s[end]&0xC0 == 0x80 {
				end++
			}
			units = append(units, utf16.Encode([]rune(s[i:end]))...)
			i = end
		}
	}
	return string(utf16.Decode(units)), nil
}
