package catchlens.rt;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs tests with the JUnit Platform. */
final class Platform {
    private Platform() {}

    static long run(List<String> tests) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String t : tests) {
            selectors.add(DiscoverySelectors.selectClass(t));
        }
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), summary);
        summary.getSummary().printFailuresTo(new PrintWriter(System.out, true), 5);
        return summary.getSummary().getTestsStartedCount();
    }
}
