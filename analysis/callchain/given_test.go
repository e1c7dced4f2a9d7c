package callchain_test

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// givenSource is a component chains, and code outside it that passes it objects.
var givenSource = map[string]string{
	"chains/Retry.java": `package chains;
public class Retry {
    public interface Task { int run(); }
    public static Task kept;
    private static int first() { return 1; }
    private static int second() { return 2; }
    public static int call(Task task) { return task.run(); }
    public static int through(Task task) { return inner(task); }
    private static int inner(Task task) { return task.run(); }
    public static int changed(Task task) {
        if (kept != null) task = () -> first();
        return task.run();
    }
    public static int shown(Task task) { return task.run(); }
    public static int reflected(Task task) { return task.run(); }
    public static int own() { return call(() -> first()) + through(() -> second()) + changed(null); }
    public static int others() { return shown(kept = new Own()) + reflected(() -> second()); }
    public static int chosen(Task a, int n, Task b) { return a.run(); }
    public static int swapped() { return chosen(new Own(), 1, () -> second()); }
    static class Own implements Task { public int run() { return first(); } }
    static class Other implements Task { public int run() { return second(); } }
    public static Task other() { return new Other(); }
}`,
	"outside/Main.java": `package outside;
import chains.Retry;
public class Main {
    public static void main(String[] args) throws Exception {
        Retry.own();
        Retry.others();
        Retry.swapped();
        Retry.call(Retry.other());
        Retry.through(() -> 3);
        Retry.changed(() -> 4);
        Retry.shown(Retry.kept);
        Retry.chosen(() -> 5, 2, Retry.kept);
        Retry.class.getMethod("reflected", Retry.Task.class).invoke(null, Retry.kept);
    }
}`}

// On a parameter of an entry method those objects are called that code outside the component
// passes, and below a call those that the call passes, where points-to analysis has them of all
// callers together. What a parameter is changed to, and what reflection passes, remains.
func TestObjectsGiven(t *testing.T) {
	home, out := testjdk.JDK(t, 17), t.TempDir()
	testjdk.JavacTexts(t, home, 17, nil, t.TempDir(), out, givenSource)
	p := programtest.Open(t, home, facts.Options{}, 1, out)
	entries := slices.DeleteFunc(features.PublicEntries(p, p.Workspace),
		func(m features.MethodRef) bool { return m.Class != "outside/Main" || m.Name != "main" })
	cfg := callgraph.Config{Workspace: p.Workspace, Entries: entries}
	r := pointsto.Build(hierarchy.New(p), cfg, pointsto.Containers)
	f := callchain.Build(r.Graph, callchain.Options{Component: inPackage("chains"), Length: 4,
		Granularity: callchain.ByMethod, Points: r})
	const task = "(Lchains/Retry$Task;)"
	check(t, f, []string{"Retry.call" + task, "Retry.through" + task, "Retry.changed" + task, "Retry.shown" + task,
		"Retry.reflected" + task, "Retry.chosen(Lchains/Retry$Task;ILchains/Retry$Task;)", "Retry.own", "Retry.others",
		"Retry.swapped"}, `
			Retry.call(Lchains/Retry$Task;)
			  Retry$Other.run
			    Retry.second
			Retry.changed(Lchains/Retry$Task;)
			  Retry.lambda$changed$0
			    Retry.first
			Retry.chosen(Lchains/Retry$Task;ILchains/Retry$Task;)
			Retry.others
			  Retry$Own.<init>
			  Retry.reflected(Lchains/Retry$Task;)
			    Retry.lambda$others$3
			      Retry.second
			  Retry.shown(Lchains/Retry$Task;)
			    Retry$Own.run
			      Retry.first
			Retry.own
			  Retry.call(Lchains/Retry$Task;)
			    Retry.lambda$own$1
			      Retry.first
			  Retry.changed(Lchains/Retry$Task;)
			    Retry.lambda$changed$0
			      Retry.first
			  Retry.through(Lchains/Retry$Task;)
			    Retry.inner(Lchains/Retry$Task;)
			      Retry.lambda$own$2
			        Retry.second
			Retry.reflected(Lchains/Retry$Task;)
			  Retry$Own.run
			    Retry.first
			  Retry.lambda$others$3
			    Retry.second
			Retry.shown(Lchains/Retry$Task;)
			  Retry$Own.run
			    Retry.first
			Retry.swapped
			  Retry$Own.<init>
			  Retry.chosen(Lchains/Retry$Task;ILchains/Retry$Task;)
			    Retry$Own.run
			      Retry.first
			Retry.through(Lchains/Retry$Task;)
			  Retry.inner(Lchains/Retry$Task;)`)
}
