package shop;

import java.util.UUID;

/** Tries into which the faults of TestOwnFaults come, or do not. */
public class Shop {
    private final Client client;

    public Shop(Client client) {
        this.client = client;
    }

    public String order(String what) {
        try {
            return client.send(what);
        } catch (RemoteException e) { // experienced with remote-down
            return "later: " + e.getMessage();
        }
    }

    public String orderAnyhow(String what) {
        try {
            return retry(what);
        } catch (RemoteException e) { // the first fault is masked by the retry, the lasting one is not
            return "never";
        }
    }

    private String retry(String what) throws RemoteException {
        try {
            return client.send(what);
        } catch (RemoteException e) { // experienced with remote-down
            return client.send(what);
        }
    }

    public String number(String text) {
        try {
            return UUID.fromString(text).toString();
        } catch (IllegalStateException e) { // experienced with no-numbers, of a method of the JDK
            return "none";
        }
    }

    public long ticks() {
        try {
            return System.nanoTime();
        } catch (UnsupportedOperationException e) { // experienced with no-clock, of a method without code
            return -1;
        }
    }

    public String never(String what) {
        try {
            return new Rare().get(what);
        } catch (IllegalStateException e) { // not reached: no test lets Rare get to its store
            return "nothing";
        }
    }
}
