import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.text.AttributedCharacterIterator;
import java.text.BreakIterator;
import java.text.CharacterIterator;
import java.text.CollationElementIterator;
import java.text.Collator;
import java.text.DateFormat;
import java.text.DateFormatSymbols;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.Format;
import java.text.NumberFormat;
import java.text.ParsePosition;
import java.text.RuleBasedCollator;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipInputStream;

/**
 * Tests that go further than Mauve's, with the methods that those call (Rountev et al. 2004, section
 * 6): each in every state that the texts and files at hand lead to.
 */
final class Enhanced {
    private interface Step {
        void run() throws Exception;
    }

    /** How many texts are taken: those of the component stand last. */
    private static final int MANY = 40;

    private final List<String> texts;
    private final byte[][] files;

    Enhanced(List<String> texts, byte[][] files) {
        this.texts = texts.subList(Math.max(0, texts.size() - MANY), texts.size());
        this.files = files;
    }

    void run(String component) {
        Locale.setDefault(Locale.US);
        switch (component) {
            case "gzip": gzip(); break;
            case "zip": zip(); break;
            case "collator": collator(); break;
            case "date": date(); break;
            case "decimal": decimal(); break;
            default: boundary();
        }
    }

    /** What fails is over. */
    private static void attempt(Step s) {
        try {
            s.run();
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            // the next one
        }
    }

    private void gzip() {
        byte[] noise = new byte[1200];
        new java.util.Random(1).nextBytes(noise);
        for (int n = 0; n < noise.length; n++) { // the last buffer is filled to each degree
            byte[] b = Arrays.copyOf(noise, n);
            attempt(() -> {
                GZIPOutputStream inner = new GZIPOutputStream(new GZIPOutputStream(new ByteArrayOutputStream()));
                GZIPOutputStream out = new GZIPOutputStream(inner);
                out.write(b);
                out.close();
                inner.write(b);
            });
            attempt(() -> {
                GZIPOutputStream inner = new GZIPOutputStream(new GZIPOutputStream(new ByteArrayOutputStream()));
                inner.write(b);
                new GZIPOutputStream(inner).close();
            });
        }
        List<byte[]> all = new ArrayList<>(Arrays.asList(files));
        for (int i = 0; i < 12; i++) {
            ByteArrayOutputStream several = new ByteArrayOutputStream();
            for (int k : new int[] {i % 4, i % 3, i % 2, 2}) {
                byte[] member = files[3 * k + 2]; // of the sizes that Run.files has
                several.write(member, 0, member.length);
            }
            all.add(several.toByteArray());
        }
        for (byte[] file : all) {
            for (int size : new int[] {1, 50, 6000}) {
                attempt(() -> {
                    InputStream in = new GZIPInputStream(new ByteArrayInputStream(file));
                    byte[] buffer = new byte[size];
                    for (int n = 0; n < 200 && in.read(buffer) >= 0; n++) {
                        in.read(new byte[0]);
                    }
                });
            }
            attempt(() -> {
                InputStream inner = new GZIPInputStream(new ByteArrayInputStream(compressed(file)));
                InputStream in = new GZIPInputStream(inner);
                while (in.read(new byte[6000]) >= 0) {
                    in.read(new byte[10]);
                }
            });
            attempt(() -> compressed(file));
            attempt(() -> {
                GZIPOutputStream inner = new GZIPOutputStream(new ByteArrayOutputStream());
                GZIPOutputStream out = new GZIPOutputStream(inner);
                out.write(file);
                out.close();
                out.close();
                out.write(file);
            });
        }
    }

    private static byte[] compressed(byte[] b) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        GZIPOutputStream gz = new GZIPOutputStream(out);
        for (int i = 0; i < 10; i++) {
            gz.write(b);
        }
        gz.close();
        return out.toByteArray();
    }

    private void zip() {
        for (byte[] file : files) {
            for (int size : new int[] {1, 50, 6000}) {
                for (boolean whole : new boolean[] {true, false}) {
                    attempt(() -> {
                        ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(file));
                        while (in.getNextEntry() != null) {
                            for (int n = 0; n < 200 && whole && in.read(new byte[size]) >= 0; n++) {
                                in.read(new byte[size], 0, 0);
                            }
                        }
                        in.read(new byte[size]);
                        in.close();
                        in.close();
                        in.getNextEntry();
                    });
                }
            }
        }
    }

    private void collator() {
        List<Collator> all = new ArrayList<>();
        for (Locale l : new Locale[] {Locale.US, Locale.FRANCE, Locale.JAPAN, new Locale("th"), new Locale("vi")}) {
            all.add(Collator.getInstance(l));
        }
        for (String rules : texts) {
            attempt(() -> all.add(new RuleBasedCollator(rules)));
        }
        for (Collator c : all) {
            for (int n = 0; n < 3 * texts.size(); n++) {
                String a = texts.get(n / 3);
                String b = texts.get((n * 7 + 1) % texts.size());
                c.setStrength(n % 4);
                c.setDecomposition(n % 3);
                attempt(() -> c.compare(a, b));
                attempt(() -> c.compare(a + b, a));
                attempt(() -> c.compare(a, a + b));
                attempt(() -> c.compare(b + a, b + a + a));
            }
            attempt(() -> elements(((RuleBasedCollator) c).getCollationElementIterator("")));
            attempt(c::clone);
            attempt(c::hashCode);
            all.forEach(d -> attempt(() -> c.equals(d)));
        }
    }

    private void elements(CollationElementIterator i) throws Exception {
        for (String t : texts) {
            i.setText(t);
            while (i.next() != CollationElementIterator.NULLORDER) {
                i.getOffset();
            }
            for (int n = 0; n <= t.length(); n++) {
                i.setOffset(n);
                i.next();
                i.setOffset(n);
            }
            i.reset();
        }
    }

    private void formats(Format f, Object... values) {
        for (Object o : values) {
            attempt(() -> {
                if (f instanceof SimpleDateFormat) {
                    ((SimpleDateFormat) f).format((Date) o);
                    ((SimpleDateFormat) f).format((Date) o, new StringBuffer(), new java.text.FieldPosition(0));
                } else {
                    f.format(o);
                }
            });
            attempt(() -> f.formatToCharacterIterator(o).getAllAttributeKeys());
            attempt(() -> {
                AttributedCharacterIterator i = f.formatToCharacterIterator(o);
                for (char c = i.first(); c != CharacterIterator.DONE; c = i.next()) {
                    i.getAttributes();
                }
            });
        }
        for (String t : texts) {
            for (int at = 0; at < 2; at++) {
                ParsePosition p = new ParsePosition(at);
                attempt(() -> {
                    if (f instanceof SimpleDateFormat) {
                        ((SimpleDateFormat) f).parse(t);
                        ((SimpleDateFormat) f).parse(t, p);
                    } else {
                        ((DecimalFormat) f).parse(t, p);
                    }
                });
            }
        }
    }

    private void date() {
        Date[] dates = {new Date(0), new Date(-1L << 47), new Date(1234567890123L), new Date(1L << 47)};
        List<DateFormat> all = new ArrayList<>();
        for (Locale l : new Locale[] {Locale.US, Locale.FRANCE, new Locale("ja", "JP", "JP")}) {
            for (int style = 0; style < 4; style++) {
                all.add(DateFormat.getDateInstance(style, l));
            }
            texts.forEach(t -> attempt(() -> all.add(new SimpleDateFormat(t, l))));
            texts.forEach(t -> attempt(() -> all.add(new SimpleDateFormat(t, new DateFormatSymbols(l)))));
        }
        attempt(() -> all.add(new SimpleDateFormat()));
        for (DateFormat f : all) {
            for (boolean lenient : new boolean[] {true, false}) {
                f.setLenient(lenient);
                formats(f, (Object[]) dates);
            }
            all.subList(0, 30).forEach(g -> attempt(() -> f.equals(g)));
            SimpleDateFormat s = (SimpleDateFormat) f;
            for (String t : texts) {
                attempt(() -> s.applyLocalizedPattern(t));
                attempt(() -> s.applyPattern(t));
                attempt(s::toLocalizedPattern);
                attempt(s::hashCode);
            }
            attempt(() -> s.set2DigitYearStart(dates[2]));
            attempt(() -> s.clone());
            if (all.indexOf(f) > 5) {
                continue;
            }
            attempt(() -> {
                DateFormatSymbols d = s.getDateFormatSymbols();
                d.setZoneStrings(d.getZoneStrings());
                s.setDateFormatSymbols(d);
                s.equals(s.clone());
                formats(s, dates[2]);
                d.hashCode();
                s.setCalendar(Calendar.getInstance(new Locale("th", "TH")));
                formats(s, dates[2]);
            });
        }
    }

    private void decimal() {
        Object[] values = {0, 1, -1, 12345678, Long.MIN_VALUE, Long.MAX_VALUE, 0.0, -0.0, 1.5, -1234567.891, 1e-30, 1e300,
            0.5, 9.9999, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY,
            new java.math.BigInteger("123456789012345678901234567890"), new java.math.BigInteger("-5"),
            new java.math.BigDecimal("-12345678901234567890.55"), new java.math.BigDecimal("0.000"),
            new java.util.concurrent.atomic.AtomicInteger(7)};
        List<NumberFormat> all = new ArrayList<>();
        for (Locale l : new Locale[] {Locale.US, Locale.GERMANY, Locale.JAPAN, new Locale("ar", "EG"), new Locale("hi", "IN")}) {
            all.addAll(Arrays.asList(NumberFormat.getCurrencyInstance(l), NumberFormat.getIntegerInstance(l),
                    NumberFormat.getNumberInstance(l), NumberFormat.getPercentInstance(l)));
            texts.subList(texts.size() - 5, texts.size()).forEach(t -> attempt(() ->
                    all.add(new DecimalFormat(t, new DecimalFormatSymbols(l)))));
        }
        texts.forEach(t -> attempt(() -> all.add(new DecimalFormat(t))));
        attempt(() -> all.add(new DecimalFormat()));
        for (NumberFormat n : all) {
            DecimalFormat f = (DecimalFormat) n;
            attempt(() -> f.setCurrency(Currency.getInstance("JPY")));
            for (int variant = 0; variant < 10; variant++) {
                int v = variant;
                formats(f, values);
                for (Object o : values) {
                    attempt(() -> f.format(((Number) o).doubleValue(), new StringBuffer(), new java.text.FieldPosition(v % 3)));
                    attempt(() -> f.format(((Number) o).longValue()));
                    attempt(() -> f.format(((Number) o).doubleValue()));
                }
                attempt(f::toLocalizedPattern);
                attempt(f::toPattern);
                attempt(f::hashCode);
                all.subList(0, 20).forEach(g -> attempt(() -> f.equals(g)));
                attempt(() -> f.getDecimalFormatSymbols().equals(all.get(v).clone()));
                switch (variant) {
                    case 0: f.setMultiplier(3); break;
                    case 1: f.setMultiplier(-1); break;
                    case 2: f.setMaximumFractionDigits(0); break;
                    case 3: f.setMinimumIntegerDigits(400); break;
                    case 4: f.setMaximumIntegerDigits(2); break;
                    case 5: f.setMinimumFractionDigits(30); break;
                    case 6: f.setMultiplier(0); break;
                    case 7: f.setDecimalSeparatorAlwaysShown(true); break;
                    case 8: attempt(() -> f.applyLocalizedPattern("#,##0.0#")); break;
                    default: f.setNegativePrefix("x"); f.setPositiveSuffix("y"); f.setGroupingSize(2);
                }
            }
            texts.forEach(t -> attempt(() -> f.applyPattern(t)));
            texts.forEach(t -> attempt(() -> f.applyLocalizedPattern(t)));
            attempt(() -> f.setDecimalFormatSymbols(new DecimalFormatSymbols(Locale.FRANCE)));
            attempt(() -> f.setCurrency(Currency.getInstance(Locale.UK)));
            attempt(() -> f.setNegativePrefix("'-\u00a4"));
            attempt(f::toPattern);
            attempt(f::clone);
        }
    }

    private void boundary() {
        for (Locale l : new Locale[] {Locale.US, new Locale("th"), Locale.JAPAN}) {
            for (BreakIterator i : new BreakIterator[] {BreakIterator.getCharacterInstance(l),
                    BreakIterator.getWordInstance(l), BreakIterator.getSentenceInstance(l), BreakIterator.getLineInstance(l)}) {
                attempt(i::getText);
                attempt(i::previous);
                for (String t : texts) {
                    i.setText(t);
                    attempt(i::previous);
                    while (i.next() != BreakIterator.DONE) {
                        i.current();
                    }
                    i.next();
                    attempt(i::last);
                    while (i.previous() != BreakIterator.DONE) {
                        attempt(i::getText);
                    }
                    for (int n = 0; n < t.length(); n++) {
                        i.next();
                        i.next();
                        i.previous();
                    }
                }
            }
        }
    }
}
