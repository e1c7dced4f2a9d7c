//@ release(25)

// A compact source file (JEP 512).

int count = 0;

void fails() throws Exception {
    throw new Exception();
}

class Helper {
    int help() {
        try {
            throw new IllegalStateException();
        } catch (IllegalStateException e) { //@ handlers(1)
            return 1;
        }
    }
}

void main() {
    try {
        fails();
    } catch (Exception e) { //@ handlers(1)
        IO.println(e);
    }
    Runnable r = () -> {
        try {
            fails();
        } catch (Exception e) { //@ handlers(1)
            count++;
        }
    };
    r.run();
}
