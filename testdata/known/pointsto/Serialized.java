package pointsto;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamException;
import java.io.Serializable;

/** What serialisation calls, and the objects that it makes. */
public class Serialized {
    static class Damaged extends IOException {
        Damaged(String message) {
            super(message);
        }
    }

    static class Reads implements Serializable {
        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            try {
                damaged();
            } catch (Damaged e) { //@ includes("damaged") experienced("damaged")
                System.out.print("");
            }
        }

        static void damaged() throws Damaged {
            throw new Damaged("damaged"); //@ site("damaged")
        }
    }

    static class Writes implements Serializable {
        private void writeObject(ObjectOutputStream out) throws IOException {
            throw new Damaged("write"); //@ site("write")
        }
    }

    static class Outside implements Externalizable {
        public Outside() {
        }

        @Override
        public void writeExternal(ObjectOutput out) {
        }

        @Override
        public void readExternal(ObjectInput in) throws IOException {
            throw new Damaged("external"); //@ site("external")
        }
    }

    static class Resolved implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("resolved"); //@ site("resolved")
        }
    }

    static class Resolves implements Serializable {
        private Object readResolve() throws ObjectStreamException {
            return new Resolved();
        }
    }

    static class Replacement implements Serializable, Thrower {
        private Thrower inner = new Inner();

        @Override
        public void act() throws Failure {
            inner.act();
        }
    }

    static class Inner implements Serializable, Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("inner"); //@ site("inner")
        }
    }

    static class Replaced implements Serializable {
        private Object writeReplace() throws ObjectStreamException {
            return new Replacement();
        }
    }

    /** A record is made by its constructor, and what that throws becomes a cause. */
    record Picky(int n) implements Serializable {
        static boolean refuse;

        Picky {
            try {
                if (refuse) {
                    refuse();
                }
            } catch (Broken e) { //@ includes("refuse") experienced("refuse")
                throw e;
            }
        }

        static void refuse() {
            throw new Broken("refused"); //@ site("refuse")
        }
    }

    /** What is read is neither written nor serialisable: the program's own methods make it. */
    static class Unwritten implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("unwritten"); //@ site("unwritten")
        }
    }

    static class Unshared implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("unshared"); //@ site("unshared")
        }
    }

    static class Instead implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("instead"); //@ site("instead")
        }
    }

    static class OwnInput extends DataInputStream implements ObjectInput {
        OwnInput() {
            super(new ByteArrayInputStream(new byte[0]));
        }

        @Override
        public Object readObject() {
            return new Unwritten();
        }
    }

    static class OwnStream extends ObjectInputStream {
        OwnStream() throws IOException {
        }

        @Override
        public Object readUnshared() {
            return new Unshared();
        }

        @Override
        protected Object readObjectOverride() {
            return new Instead();
        }
    }

    static byte[] write(Object o) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(o);
        }
        return bytes.toByteArray();
    }

    static Object copy(Object o) throws IOException, ClassNotFoundException {
        return new ObjectInputStream(new ByteArrayInputStream(write(o))).readObject();
    }

    public static int run() throws IOException, ClassNotFoundException {
        int caught = 0;
        copy(new Reads());
        try {
            write(new Writes());
        } catch (Damaged e) { //@ includes("java/io/ObjectStreamClass.invokeWriteObject") experienced("java/io/ObjectStreamClass.invokeWriteObject")
            caught++;
        }
        try {
            copy(new Outside());
        } catch (Damaged e) { //@ includes("external") experienced("external")
            caught++;
        }
        try {
            byte[] bytes = write(new Picky(1));
            Picky.refuse = true;
            new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();
        } catch (InvalidObjectException e) { //@ includes("java/io/ObjectInputStream.readRecord") experienced("java/io/ObjectInputStream.readRecord")
            caught++;
        }
        try {
            ((Thrower) copy(new Resolves())).act();
        } catch (Failure e) { //@ includes("resolved") experienced("resolved")
            caught++;
        }
        try {
            ((Thrower) copy(new Replaced())).act();
        } catch (Failure e) { //@ includes("inner") experienced("inner")
            caught++;
        }
        ObjectInput own = new OwnInput();
        try {
            ((Thrower) own.readObject()).act();
        } catch (Failure e) { //@ includes("unwritten") experienced("unwritten")
            caught++;
        }
        ObjectInputStream stream = new OwnStream();
        try {
            ((Thrower) stream.readUnshared()).act();
        } catch (Failure e) { //@ includes("unshared") experienced("unshared")
            caught++;
        }
        try {
            ((Thrower) stream.readObject()).act();
        } catch (Failure e) { //@ includes("instead") experienced("instead")
            caught++;
        }
        return caught;
    }
}
