import java.io.File;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.tools.ExecFileLoader;

/** Prints the execution data of the classes in a package, one a line: name, id, and 1 for each probe that was hit. */
public class Data {
    public static void main(String[] args) throws Exception {
        ExecFileLoader data = new ExecFileLoader();
        data.load(new File(args[0]));
        for (ExecutionData d : data.getExecutionDataStore().getContents()) {
            if (!d.getName().startsWith(args[1] + "/")) continue;
            StringBuilder probes = new StringBuilder();
            for (boolean hit : d.getProbes()) probes.append(hit ? '1' : '0');
            System.out.println(d.getName() + " " + Long.toHexString(d.getId()) + " " + probes);
        }
    }
}
