package pointsto;

import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.util.Properties;

/** Reflection: on names that stand in the code, and on names that a file holds. */
public class Reflective {
    public static class Named implements Thrower {
        public Named() {
        }

        @Override
        public void act() throws Failure {
            throw new Failure("named"); //@ site("named")
        }

        public static int inside() {
            try {
                new Named().act();
            } catch (Failure e) { //@ includes("named") experienced("named")
                return 1;
            }
            return 0;
        }
    }

    /** Only names.properties names it. */
    public static class Observed implements Thrower {
        public Observed() {
        }

        @Override
        public void act() throws Failure {
            throw new Failure("observed"); //@ site("observed")
        }

        public int inside() {
            try {
                act();
            } catch (Failure e) { //@ includes[observed]("observed") experienced[observed]("observed")
                return 1;
            }
            return 0;
        }
    }

    public static class Fails {
        public Fails() throws Failure {
            throw new Failure("constructor"); //@ site("constructor")
        }
    }

    static int constant() throws Exception {
        int caught = (Integer) Class.forName("pointsto.Reflective$Named").getMethod("inside").invoke(null);
        Thrower t = (Thrower) Class.forName("pointsto.Reflective$Named").getDeclaredConstructor().newInstance();
        try {
            t.act();
        } catch (Failure e) { //@ includes("named") excludes[pta+]("fieldValue") experienced("named")
            caught++;
        }
        try {
            Fails.class.getConstructor().newInstance();
        } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeConstructorAccessorImpl.newInstance0") includes[jdk25]("jdk/internal/reflect/DirectConstructorHandleAccessor.newInstance") wraps("constructor") wrapsNot("named") experienced[jdk17]("jdk/internal/reflect/NativeConstructorAccessorImpl.newInstance0") experienced[jdk25]("jdk/internal/reflect/DirectConstructorHandleAccessor.newInstance")
            caught++;
        }
        try {
            Fails.class.newInstance(); // throws it past the compiler's check, as it is
        } catch (Exception e) { //@ includes("constructor") excludes("jdk/internal/misc/Unsafe.throwException") experienced("constructor")
            caught++;
        }
        return caught;
    }

    static int observed() throws Exception {
        int caught = 0;
        Properties names = new Properties();
        try (InputStream in = Reflective.class.getResourceAsStream("names.properties")) {
            names.load(in);
        }
        Constructor<?> c = Class.forName(names.getProperty("class")).getConstructor();
        Object o = c.newInstance();
        try {
            ((Thrower) o).act();
        } catch (Failure e) { //@ includes[observed]("observed") experienced[observed]("observed")
            caught++;
        }
        return caught + (Integer) o.getClass().getMethod(names.getProperty("method")).invoke(o);
    }

    public static class FieldValue implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("fieldValue"); //@ site("fieldValue")
        }
    }

    static class ElementValue implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("elementValue"); //@ site("elementValue")
        }
    }

    public Thrower field;

    /** Fields and arrays that reflection writes and reads. */
    static int values() throws Exception {
        int caught = 0;
        Reflective r = new Reflective();
        Field f = Reflective.class.getField("field");
        f.set(r, new FieldValue());
        try {
            r.field.act();
        } catch (Failure e) { //@ includes("fieldValue") experienced("fieldValue")
            caught++;
        }
        try {
            ((Thrower) f.get(r)).act();
        } catch (Failure e) { //@ includes("fieldValue") experienced("fieldValue")
            caught++;
        }
        Object array = Array.newInstance(Thrower.class, 1);
        Array.set(array, 0, new ElementValue());
        try {
            ((Thrower) Array.get(array, 0)).act();
        } catch (Failure e) { //@ includes("elementValue") experienced("elementValue")
            caught++;
        }
        return caught;
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Makes {
        Class<? extends Thrower> value();
    }

    public static class Annotated implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("annotated"); //@ site("annotated")
        }
    }

    /** Makes an object of the class that its annotation names, as tests do with what their parameters get. */
    @Makes(Annotated.class)
    static int annotated(Class<? extends Thrower> c) throws Exception {
        try {
            c.getDeclaredConstructor().newInstance().act();
            return 0;
        } catch (Failure e) { //@ includes("annotated") experienced("annotated")
            return 1;
        }
    }

    static Thrower registered;

    /** Registers itself when it is initialised, as drivers of JDBC do. */
    public static class Driver implements Thrower {
        static {
            registered = new Driver(1);
        }

        Driver(int number) {
        }

        public Driver() throws Failure {
            throw new Failure("driver"); //@ site("driver")
        }

        @Override
        public void act() throws Failure {
            throw new Failure("registered"); //@ site("registered")
        }
    }

    public static class Kept {
        public Kept() throws Failure {
            throw new Failure("kept"); //@ site("kept")
        }
    }

    static Class<?> kept;

    public static class Loaded {
        public Loaded() throws Failure {
            throw new Failure("loaded"); //@ site("loaded")
        }
    }

    /** The program's own: who calls it may drop the class, of which an object has been made. */
    static Class<?> loadClass(String name) throws Exception {
        Class<?> c = Class.forName(name);
        c.newInstance();
        return c;
    }

    static int loaded() throws Exception {
        try {
            loadClass("pointsto.Reflective$Loaded");
        } catch (Failure e) { //@ includes("loaded") excludes("driver") experienced("loaded")
            return 1;
        }
        return 0;
    }

    /** A class that is only initialised, and one that is kept and made an object of elsewhere. */
    static int dropped() throws Exception {
        Class.forName("pointsto.Reflective$Driver");
        kept = Class.forName("pointsto.Reflective$Kept");
        int caught = make();
        try {
            registered.act();
        } catch (Failure e) { //@ includes("registered") experienced("registered")
            caught++;
        }
        return caught;
    }

    static int make() throws Exception {
        try {
            kept.newInstance();
        } catch (Exception e) { //@ includes("kept") excludes("driver") experienced("kept")
            return 1;
        }
        return 0;
    }

    /** Makes another of its own class, or of that of another object. */
    public static class Shape implements Thrower {
        @Override
        public void act() throws Failure {
        }

        Shape another() throws Exception {
            return getClass().getDeclaredConstructor().newInstance();
        }

        static Shape like(Shape other) throws Exception {
            Class<? extends Shape> c = other.getClass();
            return c.newInstance();
        }
    }

    public static class Circle extends Shape {
        static Circle first() {
            return new Circle(1);
        }

        Circle(int radius) {
        }

        public Circle() throws Failure {
            throw new Failure("circle"); //@ site("circle")
        }
    }

    /** Of this none is asked for its class. */
    public static class Square {
        Square(int side) {
        }

        public Square() throws Failure {
            throw new Failure("square"); //@ site("square")
        }
    }

    static int alike() throws Exception {
        int caught = 0;
        new Square(1);
        try {
            Circle.first().another();
        } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeConstructorAccessorImpl.newInstance0") includes[jdk25]("jdk/internal/reflect/DirectConstructorHandleAccessor.newInstance") wraps("circle") wrapsNot("square") experienced[jdk17]("jdk/internal/reflect/NativeConstructorAccessorImpl.newInstance0") experienced[jdk25]("jdk/internal/reflect/DirectConstructorHandleAccessor.newInstance")
            caught++;
        }
        try {
            Shape.like(Circle.first());
        } catch (Failure e) { //@ includes("circle") excludes("square") experienced("circle")
            caught++;
        }
        return caught;
    }

    /** A method and a field of it are used: nobody makes an object of it. */
    public static class Asked {
        public static int number = 1;

        public Asked() throws Failure {
            throw new Failure("asked"); //@ site("asked")
        }

        public static int number() {
            return 1;
        }
    }

    /** A method of it tells its class to who makes an object of that. */
    public static class Declaring {
        public Declaring() throws Failure {
            throw new Failure("declaring"); //@ site("declaring")
        }

        public static int number() {
            return 1;
        }
    }

    /** It goes through a list to who makes an object of it. */
    public static class Listed {
        public Listed() throws Failure {
            throw new Failure("listed"); //@ site("listed")
        }
    }

    static int asked() throws Exception {
        Class<?> c = Class.forName("pointsto.Reflective$Asked");
        java.lang.reflect.Method m = c.getMethod("number");
        m.setAccessible(true);
        return (Integer) m.invoke(null) + c.getField("number").getInt(null) - 2;
    }

    static java.lang.reflect.Method found() throws Exception {
        return Class.forName("pointsto.Reflective$Declaring").getMethod("number");
    }

    static void list(java.util.List<Class<?>> to) throws Exception {
        to.add(Class.forName("pointsto.Reflective$Listed"));
    }

    static int lent() throws Exception {
        int caught = asked();
        try {
            found().getDeclaringClass().newInstance();
        } catch (Exception e) { //@ includes("declaring") excludes("asked") experienced("declaring")
            caught++;
        }
        java.util.List<Class<?>> classes = new java.util.ArrayList<>();
        list(classes);
        try {
            classes.get(0).newInstance();
        } catch (Exception e) { //@ includes("listed") excludes("asked") experienced("listed")
            caught++;
        }
        return caught;
    }

    public static int run() throws Exception {
        return lent() + alike() + annotated(Class.forName(Reflective.class.getName() + "$Annotated").asSubclass(Thrower.class)) + constant() + observed() + values() + dropped() + loaded();
    }
}
