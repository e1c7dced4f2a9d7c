package paper001;

/**
 * Listing 5: a source-dependent catch whose try is a single call. What it depends on is set inside
 * that call.
 */
public class Listing5 {
    static class DatabaseException extends RuntimeException {
        DatabaseException(String message) {
            super(message);
        }
    }

    static class AbstractDatabaseConnector {
        protected boolean started;
        protected String entityManagerFactory;
        private final boolean schemaReadable;

        AbstractDatabaseConnector(boolean schemaReadable) {
            this.schemaReadable = schemaReadable;
        }

        public void start() {
            started = true;
            if (!schemaReadable) {
                throw new DatabaseException("schema is not readable");
            }
            entityManagerFactory = "persistent";
        }
    }

    static class MemoryDatabaseConnector extends AbstractDatabaseConnector {
        MemoryDatabaseConnector(boolean schemaReadable) {
            super(schemaReadable);
        }

        @Override
        public void start() {
            try {
                super.start();
            //@ links("paper001/Listing5$AbstractDatabaseConnector.start")
            //@ usages(pink=1, white=1, blue=0) verdict("source-dependent", "not-resilient")
            //@ matrix(fail=2) witness("paper001.Listing5Test#readable", "paper001.Listing5Test#unreadable")
            //@ experienced("paper001/Listing5$AbstractDatabaseConnector.start")
            } catch (DatabaseException ex) {
                if (started == false) {
                    throw ex; //@ throws("paper001.Listing5$DatabaseException")
                }
                setEntityManagerFactory();
            }
        }

        private void setEntityManagerFactory() {
            entityManagerFactory = "memory";
        }
    }
}
