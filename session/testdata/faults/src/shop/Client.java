package shop;

/** What orders are sent by. */
public interface Client {
    String send(String what) throws RemoteException;
}
