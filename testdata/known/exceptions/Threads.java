package exceptions;

/** An exception ends with its thread: it does not arrive where the thread was started. */
public class Threads {
    static class Failure extends RuntimeException {
    }

    static int count;

    static class Worker extends Thread {
        @Override
        public void run() {
            try {
                work();
            } catch (Failure e) { //@ links("work")
                count++;
                throw new Failure(); //@ site("leaves")
            }
        }

        void work() {
            throw new Failure(); //@ site("work")
        }
    }

    static class Task implements Runnable {
        @Override
        public void run() {
            throw new Failure(); //@ site("task")
        }
    }

    public static void main(String[] args) {
        Worker worker = new Worker();
        Thread thread = new Thread(new Task());
        try {
            worker.start();
        } catch (Failure e) { //@ nolinks
            count++;
        }
        try {
            thread.start();
        } catch (Failure e) { //@ nolinks
            count++;
        }
        try {
            worker.work();
        } catch (Failure e) { //@ links("work")
            count++;
        }
        try {
            new Task().run();
        } catch (Failure e) { //@ links("task")
            count++;
        }
    }
}
