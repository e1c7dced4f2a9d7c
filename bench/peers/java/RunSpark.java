import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import soot.G;
import soot.MethodOrMethodContext;
import soot.PackManager;
import soot.Scene;
import soot.SootMethod;
import soot.jimple.toolkits.callgraph.Edge;
import soot.options.Options;

/**
 * Runs Soot's Spark as it is set up by default (inclusion-based, fields by object, the call graph built on
 * the fly) on a main method and the JDK that it runs in: RunSpark OUTPUT-FOLDER MAIN-CLASS PROGRAM CLASS-PATH.
 *
 * <p>Writes time.txt (seconds of the call graph phase), methods.txt and edges.txt, caller and callee of an
 * edge on one line with a tab between.
 */
public final class RunSpark {
    public static void main(String[] args) throws Exception {
        G.reset();
        Options o = Options.v();
        o.set_whole_program(true);
        o.set_allow_phantom_refs(true);
        o.set_process_dir(List.of(args[2]));
        o.set_soot_classpath("VIRTUAL_FS_FOR_JDK" + java.io.File.pathSeparator + args[2] + java.io.File.pathSeparator + args[3]);
        o.set_main_class(args[1]);
        o.set_output_format(Options.output_format_none);
        o.setPhaseOption("cg.spark", "on");
        Scene.v().loadNecessaryClasses();
        long start = System.nanoTime();
        PackManager.v().getPack("cg").apply();
        Path out = Files.createDirectories(Path.of(args[0]));
        Files.writeString(out.resolve("time.txt"), Double.toString((System.nanoTime() - start) / 1e9));
        TreeSet<String> methods = new TreeSet<>();
        for (Iterator<MethodOrMethodContext> i = Scene.v().getReachableMethods().listener(); i.hasNext();) {
            methods.add(name(i.next().method()));
        }
        Files.write(out.resolve("methods.txt"), methods);
        try (PrintWriter edges = new PrintWriter(Files.newBufferedWriter(out.resolve("edges.txt")))) {
            for (Edge e : Scene.v().getCallGraph()) {
                edges.println(name(e.src()) + "\t" + name(e.tgt()));
            }
        }
    }

    private static String name(SootMethod m) {
        String s = m.getSignature();
        return s.substring(1, s.length() - 1);
    }
}
