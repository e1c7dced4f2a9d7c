package pointsto;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Libraries throw exceptions on behalf of the program, which made them or threw them before. */
public class Handed {
    /** Every exception of a group of tests has a class of its own, so that each is seen to arrive where it should. */
    static class Lost extends RuntimeException {
    }

    static class Held extends RuntimeException {
    }

    static class Refused extends RuntimeException {
    }

    static class Other extends RuntimeException {
    }

    /** Never handed to anybody. */
    static class Kept extends RuntimeException {
    }

    private final Supplier<Held> held;

    Handed(Supplier<Held> held) {
        this.held = held;
    }

    static String find(int k) {
        return Optional.ofNullable(k == 1 ? "one" : null).orElseThrow(() -> new Lost());
    }

    /** What the supplier makes that the call is given. */
    static int ofSupplier() {
        try {
            return find(2).length();
        } catch (Kept | Other e) { //@ experienced()
            return 100;
        } catch (Lost e) { //@ includes("java/util/Optional.orElseThrow") experienced("java/util/Optional.orElseThrow")
            return 1;
        }
    }

    String findHeld(int k) {
        return Optional.ofNullable(k == 1 ? "one" : null).orElseThrow(held);
    }

    /** The supplier stands in a field, and is a reference to a constructor. */
    static int ofField() {
        try {
            return new Handed(Held::new).findHeld(2).length();
        } catch (Held e) { //@ includes("java/util/Optional.orElseThrow") experienced("java/util/Optional.orElseThrow")
            return 1;
        }
    }

    /** The class is the JDK's, its object the program's. */
    static int ofLibraryClass() {
        try {
            Optional.empty().orElseThrow(IllegalStateException::new);
            return 100;
        } catch (UnsupportedOperationException e) { //@ experienced()
            return 100;
        } catch (IllegalStateException e) { //@ includes("java/util/Optional.orElseThrow") experienced("java/util/Optional.orElseThrow")
            return 1;
        }
    }

    /** What the library makes itself is not the program's. */
    static int ofLibrary() {
        try {
            Optional.empty().orElseThrow();
            return 100;
        } catch (NoSuchElementException e) { //@ experienced()
            return 1;
        }
    }

    static int refuse(int k) {
        if (k == 490) {
            throw new Refused();
        }
        return k;
    }

    /** Other threads throw it, and ForkJoinTask throws it again, or a copy that reflection makes. */
    static int ofStream() {
        try {
            return IntStream.range(0, 500).parallel().map(Handed::refuse).sum();
        } catch (Kept e) { //@ experienced()
            return 100;
        } catch (Refused e) { //@ includes("pointsto/Handed.refuse", "java/util/concurrent/ForkJoinTask.uncheckedThrow") experienced("java/util/concurrent/ForkJoinTask.uncheckedThrow")
            return 1;
        }
    }

    static class Task extends RecursiveAction {
        @Override
        protected void compute() {
            throw new Other(); //@ site("compute")
        }
    }

    static int ofTask() {
        try {
            ForkJoinPool.commonPool().submit(new Task()).join();
            return 100;
        } catch (Kept e) { //@ experienced()
            return 100;
        } catch (Other e) { //@ includes("java/util/concurrent/ForkJoinTask.uncheckedThrow") experienced("java/util/concurrent/ForkJoinTask.uncheckedThrow")
            return 1;
        }
    }

    static class Unfinished extends CompletionException {
        Unfinished(Throwable cause) {
            super(cause);
        }
    }

    /** A future throws the CompletionException that it was completed with. */
    static int ofFuture() {
        CompletableFuture<String> f = new CompletableFuture<>();
        f.completeExceptionally(new Unfinished(new Lost()));
        try {
            return f.join().length();
        } catch (Unfinished e) { //@ includes("java/util/concurrent/CompletableFuture.reportJoin") experienced("java/util/concurrent/CompletableFuture.reportJoin")
            return 1;
        }
    }

    /** The method that reading calls by reflection throws it; the JDK unwraps and throws it. */
    static class Picky implements Serializable {
        private void readObject(ObjectInputStream in) {
            throw new Refused(); //@ site("readObject")
        }
    }

    static int ofReading() throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Picky());
        }
        try {
            new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
            return 100;
        } catch (Kept e) { //@ experienced()
            return 100;
        } catch (Refused e) { //@ includes("java/io/ObjectStreamClass.throwMiscException") experienced("java/io/ObjectStreamClass.throwMiscException")
            return 1;
        }
    }

    /** A supplier gives null: the throw throws a NullPointerException, which nobody made. */
    static int ofNothing() {
        try {
            Optional.empty().orElseThrow(() -> (Kept) null);
            return 100;
        } catch (Kept e) { //@ experienced()
            return 100;
        } catch (NullPointerException e) { //@ experienced()
            return 1;
        }
    }

    static <T> T same(T t) {
        return t;
    }

    static int ofGeneric() {
        Supplier<Lost> s = same(() -> same(new Lost()));
        try {
            same(Optional.empty()).orElseThrow(s);
            return 100;
        } catch (Lost e) { //@ includes("java/util/Optional.orElseThrow") experienced("java/util/Optional.orElseThrow")
            return 1;
        }
    }

    /** What was caught and kept is handed, too. */
    static int ofCaught() {
        RuntimeException last;
        try {
            throw new Held(); //@ site("first")
        } catch (Held e) { //@ links("first") experienced("first")
            last = e;
        }
        RuntimeException kept = last;
        try {
            Optional.empty().orElseThrow(() -> kept);
            return 100;
        } catch (Held e) { //@ includes("java/util/Optional.orElseThrow") experienced("java/util/Optional.orElseThrow")
            return 1;
        }
    }

    static void keep() {
        try {
            throw new Kept(); //@ site("kept")
        } catch (Kept e) { //@ links("kept") experienced("kept")
            e.addSuppressed(new IllegalArgumentException());
        }
    }

    public static int run() throws Throwable {
        keep();
        return ofSupplier() + ofField() + ofLibraryClass() + ofLibrary() + ofStream() + ofTask() + ofFuture() + ofReading()
            + ofNothing() + ofGeneric() + ofCaught();
    }
}
