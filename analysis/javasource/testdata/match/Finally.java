package match;

import java.io.Closeable;
import java.io.IOException;

/** Catches inside finally: the compiler copies them to each way out. */
class Finally {
    void plain() {
        try {
            Basic.use(1);
        } catch (IllegalStateException e) { //@ handlers(1)
            Basic.use(2);
        } finally {
            Basic.use(3);
        }
    }

    void close(Closeable c) {
        try {
            Basic.use(c);
        } finally {
            try {
                c.close();
            } catch (IOException e) { //@ handlers(2)
                Basic.use(e);
            }
        }
    }

    int returns(Closeable c) {
        try {
            if (c == null) {
                return 1;
            }
            Basic.use(c);
            return 2;
        } catch (IllegalStateException e) { //@ handlers(1)
            return 3;
        } finally {
            try {
                c.close();
            } catch (IOException e) { //@ handlers(4)
                Basic.use(e);
            }
        }
    }

    int oneLine(Closeable c) {
        try { Basic.use(c); return 1; } catch (IllegalStateException e) { Basic.use(2); } finally { try { c.close(); } catch (IOException e) { Basic.use(e); } } //@ handlers#1(1) handlers#2(3)
        return 0;
    }

    void loops(Closeable[] all) {
        for (Closeable c : all) {
            try {
                if (c == null) {
                    continue;
                }
                if (c == all[0]) {
                    break;
                }
                Basic.use(c);
            } finally {
                try {
                    c.close();
                } catch (IOException e) { //@ handlers(4)
                }
            }
        }
    }

    int nested(Closeable c) {
        try {
            Basic.use(0);
            try {
                Basic.use(1);
                return 1;
            } catch (IllegalArgumentException e) { //@ handlers(1)
                Basic.use(2);
            } finally {
                try {
                    c.close();
                } catch (IOException e) { //@ handlers(3)
                    Basic.use(e);
                }
            }
        } finally {
            try {
                c.close();
            } catch (IOException f) { //@ handlers(3)
                Basic.use(f);
            } catch (IllegalStateException f) { //@ handlers(3)
            }
        }
        return 0;
    }

    void finallyInFinally(Closeable c) {
        try {
            Basic.use(0);
        } finally {
            try {
                c.close();
            } catch (IOException e) { //@ handlers(2)
                Basic.use(e);
            } finally {
                try {
                    Basic.use(1);
                } catch (IllegalStateException e) { //@ handlers(6)
                    Basic.use(2);
                }
            }
        }
    }

    int abrupt(Closeable c) {
        try {
            Basic.use(0);
            return 1;
        } finally {
            try {
                c.close();
                return 2;
            } catch (IOException e) { //@ handlers(2) handlers[ecj](1)
                return 3;
            }
        }
    }

    void lambdaInFinally(Closeable c) {
        try {
            Basic.use(0);
        } finally {
            Runnable r = () -> {
                try {
                    c.close();
                } catch (IOException e) { //@ handlers(1)
                    Basic.use(e);
                }
            };
            try {
                r.run();
            } catch (IllegalStateException e) { //@ handlers(2)
            }
            Object o = new Object() {
                @Override
                public String toString() {
                    try {
                        c.close();
                    } catch (IOException e) { //@ handlers(1)
                        return "closed";
                    }
                    return "";
                }
            };
        }
    }

    void throwsOut(Closeable c) throws IOException {
        try {
            throw new IOException();
        } catch (IllegalStateException e) { //@ handlers(1)
            throw e;
        } finally {
            try {
                c.close();
            } catch (IOException e) { //@ handlers(1)
            }
        }
    }
}
