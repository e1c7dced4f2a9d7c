package org.doit.muffin;

/** Settings at an address that gives them slowly, for tests of other packages. */
public final class Slowly {
    private Slowly() {
    }

    /** What is done with something. */
    public interface Use {
        void of(Object what) throws Exception;
    }

    /** Does something with the address of a file. */
    public static void served(String content, Use use) throws Exception {
        try (Slow s = Slow.file(content)) {
            use.of("http://0.0.0.0:" + s.port() + "/file");
        }
    }
}
