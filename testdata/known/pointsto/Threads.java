package pointsto;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicReference;

/** Other threads: an exception ends there, and surfaces where the result is asked for as a throw of its own. */
public class Threads {
    static volatile int caught;

    static class Worker extends Thread {
        @Override
        public void run() {
            try {
                work();
            } catch (Failure e) { //@ includes("work") experienced("work")
                caught++;
            }
        }

        void work() throws Failure {
            throw new Failure("work"); //@ site("work")
        }
    }

    static void runnable() throws InterruptedException {
        Thrower t = () -> {
            throw new Failure("task"); //@ site("task")
        };
        Thread thread = new Thread(() -> {
            try {
                t.act();
            } catch (Failure e) { //@ includes("task") excludes[pta+]("call") experienced("task")
                caught++;
            }
        });
        thread.start();
        thread.join();
    }

    static class Dies extends Thread {
        @Override
        public void run() {
            throw new Broken("dies"); //@ site("dies")
        }
    }

    static void ends() throws InterruptedException {
        Dies dies = new Dies();
        AtomicReference<Throwable> last = new AtomicReference<>();
        dies.setUncaughtExceptionHandler((t, e) -> last.set(e));
        try {
            dies.start();
            dies.join();
        } catch (Broken e) { //@ excludes[jdk17]("dies") excludes[jdk25,pta-dr]("dies") experienced()
            caught += 100;
        }
        if (last.get() instanceof Broken) {
            caught++;
        }
    }

    static void executor() throws InterruptedException {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<String> f = pool.submit((Callable<String>) () -> {
                throw new Failure("call"); //@ site("call")
            });
            f.get();
        } catch (ExecutionException e) { //@ includes("java/util/concurrent/FutureTask.report") excludes("call") wraps("call") wrapsNot("inPool") wrapsNot[pta+]("supplied") experienced("java/util/concurrent/FutureTask.report")
            caught++;
        }
        try {
            pool.submit(() -> {
                try {
                    inPool();
                } catch (Failure e) { //@ includes("inPool") experienced("inPool")
                    caught++;
                }
            }).get();
        } catch (ExecutionException e) { //@ includes("java/util/concurrent/FutureTask.report") experienced()
            caught += 100;
        }
        pool.shutdown();
    }

    static void inPool() throws Failure {
        throw new Failure("inPool"); //@ site("inPool")
    }

    static void completable() throws InterruptedException {
        try {
            CompletableFuture.supplyAsync(() -> {
                throw new Broken("supplied"); //@ site("supplied")
            }).get();
        } catch (ExecutionException e) { //@ includes("java/util/concurrent/CompletableFuture.reportGet") wraps("supplied") wrapsNot[pta+]("call") experienced("java/util/concurrent/CompletableFuture.reportGet")
            caught++;
        }
        try {
            CompletableFuture.completedFuture("x").thenApply(s -> {
                try {
                    inStage();
                } catch (Failure e) { //@ includes("inStage") experienced("inStage")
                    caught++;
                }
                return s;
            }).join();
        } catch (CompletionException e) { //@ experienced()
            caught += 100;
        }
    }

    static void inStage() throws Failure {
        throw new Failure("inStage"); //@ site("inStage")
    }

    static class Recursive extends RecursiveTask<Integer> {
        private final int depth;

        Recursive(int depth) {
            this.depth = depth;
        }

        @Override
        protected Integer compute() {
            if (depth > 0) {
                return new Recursive(depth - 1).fork().join();
            }
            try {
                inTask();
            } catch (Failure e) { //@ includes("inTask") experienced("inTask")
                caught++;
            }
            return 1;
        }
    }

    static void submitted() throws InterruptedException {
        ForkJoinPool pool = new ForkJoinPool(1);
        try {
            pool.submit((Callable<String>) () -> {
                throw new Failure("submitted"); //@ site("submitted")
            }).get();
        } catch (ExecutionException e) { //@ includes("java/util/concurrent/ForkJoinTask.uncheckedThrow") excludes("submitted") experienced("java/util/concurrent/ForkJoinTask.uncheckedThrow")
            caught++;
        }
        try {
            joined(new Recursive(0));
        } catch (ExecutionException e) { //@ excludes("java/util/concurrent/ForkJoinTask.uncheckedThrow") experienced()
            caught += 100;
        }
        pool.shutdown();
    }

    /** Not declared by what it calls, in which it would be thrown past the compiler's check. */
    static void joined(Recursive task) throws ExecutionException {
        task.invoke();
    }

    static void inTask() throws Failure {
        throw new Failure("inTask"); //@ site("inTask")
    }

    public static int run() throws InterruptedException {
        caught = 0;
        Worker w = new Worker();
        w.start();
        w.join();
        runnable();
        ends();
        executor();
        completable();
        new ForkJoinPool(1).invoke(new Recursive(2));
        submitted();
        return caught;
    }
}
