package org.doit.muffin.filter;

import java.io.IOException;
import org.doit.io.InputObjectStream;
import org.doit.io.OutputObjectStream;
import org.doit.muffin.ContentFilter;
import org.doit.muffin.Filter;
import org.doit.muffin.FilterFactory;
import org.doit.muffin.FilterManager;
import org.doit.muffin.Prefs;
import org.doit.muffin.Reply;
import org.doit.muffin.Request;

/** A filter of a user's own, as Muffin loads them by name: it has all contents and passes them on. */
public class Passing implements FilterFactory {
    private Prefs prefs;

    @Override
    public void setManager(FilterManager manager) {
    }

    @Override
    public void setPrefs(Prefs prefs) {
        this.prefs = prefs;
    }

    @Override
    public Prefs getPrefs() {
        return prefs;
    }

    @Override
    public void viewPrefs() {
    }

    @Override
    public void shutdown() {
    }

    @Override
    public Filter createFilter() {
        return new All();
    }

    private static class All implements ContentFilter {
        private InputObjectStream in;
        private OutputObjectStream out;

        @Override
        public void setPrefs(Prefs prefs) {
        }

        @Override
        public boolean needsFiltration(Request request, Reply reply) {
            return true;
        }

        @Override
        public void setInputObjectStream(InputObjectStream in) {
            this.in = in;
        }

        @Override
        public void setOutputObjectStream(OutputObjectStream out) {
            this.out = out;
        }

        @Override
        public void run() {
            try {
                for (Object x; (x = in.read()) != null;) {
                    out.write(x);
                }
            } catch (IOException e) {
                return;
            } finally {
                try {
                    out.flush();
                    out.close();
                } catch (IOException e) {
                    e.printStackTrace();
                }
            }
        }
    }
}
