package filedrop;

import java.io.IOException;
import java.io.PrintStream;

/** Starts a server: {@code filedrop [CONFIGURATION]}, a file or a URL. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        int code = run(args, System.out, System.err);
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            Settings settings = args.length == 0 ? Settings.defaults() : Settings.load(args[0]);
            DropServer server = DropServer.start(settings);
            closeAtExit(server, err);
            out.println("listening on port " + server.port());
            return 0;
        } catch (SettingsException | StoreException e) {
            err.println("filedrop: " + e.getMessage());
            return 2;
        } catch (IOException e) {
            err.println("filedrop: cannot listen: " + e.getMessage());
            return 1;
        }
    }

    private static void closeAtExit(DropServer server, PrintStream err) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                server.close();
            } catch (IOException e) {
                err.println("filedrop: " + e.getMessage());
            }
        }));
    }
}
