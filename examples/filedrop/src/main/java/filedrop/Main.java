package filedrop;

import java.io.IOException;

/** Starts a server: {@code filedrop [CONFIGURATION]}, a file or a URL. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        try {
            Settings settings = args.length == 0 ? Settings.defaults() : Settings.load(args[0]);
            DropServer server = DropServer.start(settings);
            System.out.println("listening on port " + server.port());
        } catch (SettingsException | StoreException e) {
            System.err.println("filedrop: " + e.getMessage());
            System.exit(2);
        } catch (IOException e) {
            System.err.println("filedrop: cannot listen: " + e.getMessage());
            System.exit(1);
        }
    }
}
