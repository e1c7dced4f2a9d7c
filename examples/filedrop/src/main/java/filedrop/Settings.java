package filedrop;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Properties;

/** The server's configuration: built-in defaults, and what a file or URL says otherwise. */
public class Settings {
    private static final Properties DEFAULTS = new Properties();

    static {
        try (InputStream in = Settings.class.getResourceAsStream("defaults.properties")) {
            DEFAULTS.load(in);
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Properties values = new Properties(DEFAULTS);

    public static Settings defaults() {
        return new Settings();
    }

    /** Reads a file, or a URL where the location has the form of one. */
    public static Settings load(String location) throws SettingsException {
        Settings settings = new Settings();
        try (InputStream in = new BufferedInputStream(open(location))) {
            settings.values.load(in);
        } catch (IOException e) {
            throw new SettingsException("cannot read " + location, e);
        } catch (IllegalArgumentException e) {
            throw new SettingsException(location + " has a malformed escape", e);
        }
        return settings;
    }

    private static InputStream open(String location) throws IOException {
        try {
            return new URL(location).openStream();
        } catch (MalformedURLException e) {
            return new FileInputStream(location);
        }
    }

    public Settings with(String key, Object value) {
        values.setProperty(key, value.toString());
        return this;
    }

    public Path folder() {
        return Path.of(values.getProperty("folder"));
    }

    public int port() {
        return number("port", 0);
    }

    public int workers() {
        return number("workers", 4);
    }

    public int cacheEntries() {
        return number("cache.entries", 64);
    }

    public Duration idleTimeout() throws SettingsException {
        return duration("idle.timeout");
    }

    public Retry retry() throws SettingsException {
        return new Retry(number("retry.attempts", 3), duration("retry.pause"));
    }

    private int number(String key, int fallback) {
        try {
            return Integer.parseInt(values.getProperty(key).trim());
        } catch (NumberFormatException e) {
            return fallback;
        }
    }

    private Duration duration(String key) throws SettingsException {
        String value = values.getProperty(key);
        try {
            Duration duration = Duration.parse(value.trim());
            duration.toMillis();
            return duration;
        } catch (DateTimeParseException | ArithmeticException e) {
            throw new SettingsException(key + " is no duration: " + value, e);
        }
    }
}
