package exceptions;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** The JDK throws what the program made: what it is handed, and nothing else that the program makes. */
public class HandedOver {
    static class Lost extends RuntimeException {
    }

    static class Held extends RuntimeException {
    }

    static class Broken extends CompletionException {
        Broken(String message) {
            super(message);
        }
    }

    /** Thrown, caught, printed and wrapped, but handed to nobody who throws it. */
    static class Kept extends RuntimeException {
    }

    static int count;

    static String find(Map<Integer, String> all, int k) {
        return Optional.ofNullable(all.get(k)).orElseThrow(() -> new Lost());
    }

    private final Supplier<Held> held = Held::new;

    String findHeld(Map<Integer, String> all, int k) {
        return Optional.ofNullable(all.get(k)).orElseThrow(held);
    }

    static void ofSuppliers(Map<Integer, String> all) {
        try {
            find(all, 1);
        } catch (Kept e) { //@ nolinks[pta+]
            count++;
        } catch (Lost e) { //@ includes("java/util/Optional.orElseThrow") links[pta-dr+]("java/util/Optional.orElseThrow") arrives("exceptions.HandedOver$Lost")
            count++;
        }
        try {
            new HandedOver().findHeld(all, 1);
        } catch (Kept e) { //@ nolinks[pta+]
            count++;
        } catch (Held e) { //@ includes("java/util/Optional.orElseThrow") links[pta+]("java/util/Optional.orElseThrow") arrives("exceptions.HandedOver$Held")
            count++;
        }
    }

    /** The JDK's class, the program's object; what the JDK makes of that class is not studied. */
    static void ofLibraryClass(Map<Integer, String> all) {
        try {
            Optional.ofNullable(all.get(2)).orElseThrow(IllegalStateException::new);
        } catch (Kept e) { //@ nolinks[pta+]
            count++;
        } catch (UnsupportedOperationException e) { //@ nolinks[pta+]
            count++;
        } catch (IllegalStateException e) { //@ includes("java/util/Optional.orElseThrow")
            count++;
        }
    }

    static void ofFuture(Map<Integer, String> all) {
        CompletableFuture<String> f = new CompletableFuture<>();
        f.completeExceptionally(new Broken(all.get(3)));
        try {
            f.join();
        } catch (Kept e) { //@ nolinks[pta+]
            count++;
        } catch (Broken e) { //@ includes("java/util/concurrent/CompletableFuture.reportJoin") links[pta+]("java/util/concurrent/CompletableFuture.reportJoin")
            count++;
        }
    }

    static void ofChecks(Map<Integer, String> all) {
        try {
            Objects.requireNonNull(all.get(4), () -> "absent");
            all.computeIfAbsent(5, k -> {
                throw new Lost(); //@ site("absent")
            });
        } catch (Kept e) { //@ nolinks[pta+]
            count++;
        } catch (Lost e) { //@ includes("absent") links[obj-dr]("absent")
            count++;
        }
    }

    static void keep() {
        try {
            throw new Kept(); //@ site("keep")
        } catch (Kept e) { //@ links("keep")
            System.out.println(e);
            count += new IllegalArgumentException("kept", e).hashCode() + Objects.hash(e, count);
        }
    }

    public static void main(String[] args) {
        Map<Integer, String> all = new HashMap<>();
        all.put(args.length, "one");
        ofSuppliers(all);
        ofLibraryClass(all);
        ofFuture(all);
        ofChecks(all);
        keep();
    }
}
