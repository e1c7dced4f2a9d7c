package match;

import java.io.IOException;

/** Catches that a compiler drops. */
class Dropped {
    static final boolean DEBUG = false;

    void empty() {
        try {
        } catch (RuntimeException e) { //@ handlers(0)
            Basic.use(e);
        }
        try {
            // nothing but a comment
        } catch (RuntimeException e) { //@ handlers(0)
        } finally {
            Basic.use(1);
        }
        try {
            ;
        } catch (RuntimeException e) { //@ handlers(0)
        }
        try {
            Basic.use(2);
        } catch (RuntimeException e) { //@ handlers(1)
        }
    }

    void dead() {
        if (DEBUG) {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(0)
            }
        }
        try {
            Basic.io();
        } catch (IOException e) { //@ handlers(1)
        }
        while (DEBUG != DEBUG | true) {
            try {
                if (false) {
                    Basic.use(1);
                }
            } catch (RuntimeException e) { //@ handlers(0)
            }
            return;
        }
    }

    void inDropped() {
        try {
        } catch (RuntimeException e) { //@ handlers(0)
            try {
                Basic.io();
            } catch (IOException f) { //@ handlers(0)
            }
        }
        try {
            try {
            } catch (RuntimeException e) { //@ handlers(0)
            }
        } catch (RuntimeException e) { //@ handlers(0)
        }
        try {
            Basic.io();
        } catch (IOException f) { //@ handlers(1)
        }
    }
}
