import java.io.File;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.tools.ExecFileLoader;

/** Prints what JaCoCo makes of execution data and a folder of classes: of each line, whether it is hit. */
public class Read {
    public static void main(String[] args) throws Exception {
        ExecFileLoader data = new ExecFileLoader();
        data.load(new File(args[0]));
        CoverageBuilder all = new CoverageBuilder();
        new Analyzer(data.getExecutionDataStore(), all).analyzeAll(new File(args[1]));
        if (!all.getNoMatchClasses().isEmpty()) throw new AssertionError("other ids: " + all.getNoMatchClasses());
        for (ISourceFileCoverage f : all.getSourceFiles()) {
            for (int n = f.getFirstLine(); n <= f.getLastLine(); n++) {
                ICounter i = f.getLine(n).getInstructionCounter(), b = f.getLine(n).getBranchCounter();
                if (i.getTotalCount() == 0) continue;
                String name = f.getPackageName().isEmpty() ? f.getName() : f.getPackageName() + "/" + f.getName();
                System.out.println(name + ":" + n + " " + (i.getCoveredCount() > 0 ? "hit" : "missed")
                    + (b.getTotalCount() > 0 ? " " + b.getCoveredCount() + "/" + b.getTotalCount() : ""));
            }
        }
    }
}
