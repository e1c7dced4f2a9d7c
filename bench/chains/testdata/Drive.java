import java.util.Set;

/** Calls the sample component of the paper, with its chains recorded: Drive FILE ABSTRACTED. */
final class Drive {
    public static void main(String[] args) throws Exception {
        recorded.Stacks.follow(Set.of("text.DecimalFormat", "text.FormatSymbols", "text.NumberFormat"),
                Boolean.parseBoolean(args[1]));
        for (int i = 0; i < 100; i++) {
            text.DecimalFormat f = new text.DecimalFormat();
            f.toPattern();
            f.toLocalizedPattern();
        }
        recorded.Stacks.write(args[0]);
    }
}
