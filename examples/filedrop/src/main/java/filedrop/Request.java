package filedrop;

import java.util.Locale;
import java.util.regex.Pattern;

/** One line that a client sent. */
final class Request {
    enum Verb { PUT, GET, LIST, DELETE, QUIT }

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    final Verb verb;
    private final String[] fields;

    private Request(Verb verb, String[] fields) {
        this.verb = verb;
        this.fields = fields;
    }

    static Request parse(String line) throws ProtocolException {
        String[] fields = line.trim().split(" +");
        Verb verb;
        try {
            verb = Verb.valueOf(fields[0].toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("unknown command: " + fields[0]);
        }
        return new Request(verb, fields);
    }

    String name() throws ProtocolException {
        String name = field(1);
        if (!NAME.matcher(name).matches()) {
            throw new ProtocolException("not a file name: " + name);
        }
        return name;
    }

    long size() throws ProtocolException {
        return number(2, 10);
    }

    long checksum() throws ProtocolException {
        return number(3, 16);
    }

    private long number(int i, int radix) throws ProtocolException {
        String text = field(i);
        try {
            return Long.parseLong(text, radix);
        } catch (NumberFormatException e) {
            throw new ProtocolException("not a number: " + text);
        }
    }

    private String field(int i) throws ProtocolException {
        if (i >= fields.length) {
            throw new ProtocolException(verb + " needs more");
        }
        return fields[i];
    }
}
