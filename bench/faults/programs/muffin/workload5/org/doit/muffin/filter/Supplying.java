package org.doit.muffin.filter;

import java.io.IOException;
import org.doit.muffin.Filter;
import org.doit.muffin.FilterFactory;
import org.doit.muffin.FilterManager;
import org.doit.muffin.HttpFilter;
import org.doit.muffin.Odd;
import org.doit.muffin.Prefs;
import org.doit.muffin.Reply;
import org.doit.muffin.Request;
import org.doit.muffin.Supplied;

/** A filter of a user's own, as Muffin loads them by name: it answers requests itself. */
public class Supplying implements FilterFactory {
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
        return new Answer();
    }

    private static class Answer implements HttpFilter {
        @Override
        public void setPrefs(Prefs prefs) {
        }

        @Override
        public boolean wantRequest(Request request) {
            return true;
        }

        @Override
        public void sendRequest(Request request) {
        }

        @Override
        public Reply recvReply(Request request) throws IOException {
            return Supplied.reply(Odd.supplied.open());
        }

        @Override
        public void close() {
        }
    }
}
