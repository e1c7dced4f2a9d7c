package catchlens.rt.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers and messages that the worker and the agent share. This file is made from
 * instrument/worker/wire.go ("make update"): change that one.
 */
public final class Wire {
    private Wire() {}

    /** Types of frames of the bulk channel. */
    public static final int FRAME_CLASSES = 1;
    public static final int FRAME_STARTED = 2;
    public static final int FRAME_RESULT = 3;
    public static final int FRAME_ASK = 4;
    public static final int FRAME_NOTICE = 5;
    public static final int FRAME_EXITING = 6;
    public static final int FRAME_ANSWER = 7;
    public static final int FRAME_FOUND = 8;
    public static final int FRAME_ITEM = 9;
    public static final int FRAME_FIRED = 10;
    public static final int FRAME_FAULT = 11;
    public static final int FRAME_HANGS = 12;

    /** Kinds of windows. */
    public static final int KIND_TEST = 0;
    public static final int KIND_FIXTURE = 1;
    public static final int KIND_SINGLE = 2;

    /** Kinds of throw sites of links. */
    public static final int SITE_EXPLICIT = 0;
    public static final int SITE_NATIVE = 1;
    public static final int SITE_IMPLICIT = 2;
    public static final int SITE_UNKNOWN = 3;
    public static final int SITE_INJECTED = 4;
    public static final int SITE_DECLARED = 5;

    /** What is known of the methods below the tries of a window. */
    public static final int BELOW_UNKNOWN = 0;
    public static final int BELOW_KNOWN = 1;
    public static final int BELOW_LOST = 2;

    /**
     * Marks of the names of announced calls: those that lead to methods of the component only, and
     * those that may lead out of it; and how many calls a recorded chain has at most.
     */
    public static final int CHAIN_INSIDE = 61;
    public static final int CHAIN_EITHER = 63;
    public static final int CHAIN_CALLS = 4;

    /** Statuses that the agent ends its JVM with. */
    public static final int STATUS_REFUSED = 97;
    public static final int STATUS_LOST = 98;

    /**
     * Numbers of operations that are no roots: the probe before a call that the first of the user's
     * own faults is about, and the first guard of a request; each guard has two, the second where
     * it led to its throw by itself.
     */
    public static final int DECLARED_CALL = 24576;
    public static final int GUARD_ROOT = 32768;

    /** wireSettings of the worker. */
    public static final class Settings {
        public final int port;
        public final String token;
        public final String reply;
        public final List<String> bundles;
        public final boolean ask;
        public final boolean named;
        public final List<Try> tries;

        public Settings(Map<?, ?> m) {
            port = (int) number(m.get("port"));
            token = text(m.get("token"));
            reply = text(m.get("reply"));
            bundles = texts(m.get("bundles"));
            ask = flag(m.get("ask"));
            named = flag(m.get("named"));
            tries = new ArrayList<Try>();
            for (Object o : list(m.get("tries"))) {
                tries.add(new Try((Map<?, ?>) o));
            }
        }
    }

    /** wireTry of the worker. */
    public static final class Try {
        public final String className;
        public final int catchNumber;
        public final int tryNumber;
        public final int first;
        public final int last;
        public final String method;

        public Try(Map<?, ?> m) {
            className = text(m.get("className"));
            catchNumber = (int) number(m.get("catchNumber"));
            tryNumber = (int) number(m.get("tryNumber"));
            first = (int) number(m.get("first"));
            last = (int) number(m.get("last"));
            method = text(m.get("method"));
        }
    }

    /** wireRequest of the worker. */
    public static final class Request {
        public final int seq;
        public final String adapter;
        public final String adapterPath;
        public final String mode;
        public final List<String> items;
        public final String restore;
        public final int outputLimit;
        public final Arm arm;
        public final List<Followed> listen;
        public final Fault fault;
        public final Map<String, String> parameters;
        public final boolean freshLoader;
        public final List<String> without;
        public final List<String> groups;
        public final List<String> excludedGroups;
        public final List<String> suites;

        public Request(Map<?, ?> m) {
            seq = (int) number(m.get("seq"));
            adapter = text(m.get("adapter"));
            adapterPath = text(m.get("adapterPath"));
            mode = text(m.get("mode"));
            items = texts(m.get("items"));
            restore = text(m.get("restore"));
            outputLimit = (int) number(m.get("outputLimit"));
            arm = m.get("arm") == null ? null : new Arm((Map<?, ?>) m.get("arm"));
            listen = new ArrayList<Followed>();
            for (Object o : list(m.get("listen"))) {
                listen.add(new Followed((Map<?, ?>) o));
            }
            fault = m.get("fault") == null ? null : new Fault((Map<?, ?>) m.get("fault"));
            parameters = textsByName(m.get("parameters"));
            freshLoader = flag(m.get("freshLoader"));
            without = texts(m.get("without"));
            groups = texts(m.get("groups"));
            excludedGroups = texts(m.get("excludedGroups"));
            suites = texts(m.get("suites"));
        }
    }

    /** wireArm of the worker. */
    public static final class Arm {
        public final String key;
        public final List<Target> targets;
        public final String exception;
        public final String message;
        public final int maxFires;
        public final boolean white;
        public final int only;
        public final List<Maker> makers;
        public final boolean plain;
        public final List<String> not;
        public final String subclass;
        public final String subclassName;

        public Arm(Map<?, ?> m) {
            key = text(m.get("key"));
            targets = new ArrayList<Target>();
            for (Object o : list(m.get("targets"))) {
                targets.add(new Target((Map<?, ?>) o));
            }
            exception = text(m.get("exception"));
            message = text(m.get("message"));
            maxFires = (int) number(m.get("maxFires"));
            white = flag(m.get("white"));
            only = (int) number(m.get("only"));
            makers = new ArrayList<Maker>();
            for (Object o : list(m.get("makers"))) {
                makers.add(new Maker((Map<?, ?>) o));
            }
            plain = flag(m.get("plain"));
            not = texts(m.get("not"));
            subclass = text(m.get("subclass"));
            subclassName = text(m.get("subclassName"));
        }
    }

    /** wireFollowed of the worker. */
    public static final class Followed {
        public final String key;
        public final List<Target> targets;

        public Followed(Map<?, ?> m) {
            key = text(m.get("key"));
            targets = new ArrayList<Target>();
            for (Object o : list(m.get("targets"))) {
                targets.add(new Target((Map<?, ?>) o));
            }
        }
    }

    /** wireTarget of the worker. */
    public static final class Target {
        public final String className;
        public final int tryNumber;
        public final boolean point;
        public final boolean atCatch;

        public Target(Map<?, ?> m) {
            className = text(m.get("className"));
            tryNumber = (int) number(m.get("tryNumber"));
            point = flag(m.get("point"));
            atCatch = flag(m.get("atCatch"));
        }
    }

    /** Maker of the worker. */
    public static final class Maker {
        public final String owner;
        public final String name;
        public final String desc;

        public Maker(Map<?, ?> m) {
            owner = text(m.get("owner"));
            name = text(m.get("name"));
            desc = text(m.get("desc"));
        }
    }

    /** Fault of the worker. */
    public static final class Fault {
        public final List<FaultTry> tries;
        public final List<FaultRoot> roots;
        public final String path;
        public final String peer;
        public final boolean persistent;
        public final boolean otherThreads;
        public final boolean interrupt;
        public final String define;
        public final String defineName;
        public final String system;
        public final boolean systemNet;
        public final List<FaultGuard> guards;
        public final long[] past;
        public final List<String> avoid;
        public final String through;
        public final boolean follow;
        public final int[] waits;
        public final boolean observe;

        public Fault(Map<?, ?> m) {
            tries = new ArrayList<FaultTry>();
            for (Object o : list(m.get("tries"))) {
                tries.add(new FaultTry((Map<?, ?>) o));
            }
            roots = new ArrayList<FaultRoot>();
            for (Object o : list(m.get("roots"))) {
                roots.add(new FaultRoot((Map<?, ?>) o));
            }
            path = text(m.get("path"));
            peer = text(m.get("peer"));
            persistent = flag(m.get("persistent"));
            otherThreads = flag(m.get("otherThreads"));
            interrupt = flag(m.get("interrupt"));
            define = text(m.get("define"));
            defineName = text(m.get("defineName"));
            system = text(m.get("system"));
            systemNet = flag(m.get("systemNet"));
            guards = new ArrayList<FaultGuard>();
            for (Object o : list(m.get("guards"))) {
                guards.add(new FaultGuard((Map<?, ?>) o));
            }
            past = numbers(m.get("past"));
            avoid = texts(m.get("avoid"));
            through = text(m.get("through"));
            follow = flag(m.get("follow"));
            waits = integers(m.get("waits"));
            observe = flag(m.get("observe"));
        }
    }

    /** FaultTry of the worker. */
    public static final class FaultTry {
        public final String className;
        public final int tryNumber;
        public final int[] handlers;
        public final String method;
        public final int first;
        public final int last;

        public FaultTry(Map<?, ?> m) {
            className = text(m.get("className"));
            tryNumber = (int) number(m.get("tryNumber"));
            handlers = integers(m.get("handlers"));
            method = text(m.get("method"));
            first = (int) number(m.get("first"));
            last = (int) number(m.get("last"));
        }
    }

    /** FaultRoot of the worker. */
    public static final class FaultRoot {
        public final int root;
        public final String className;
        public final String method;
        public final String exception;
        public final String message;
        public final int errno;
        public final boolean java;
        public final boolean pipe;
        public final boolean then;
        public final boolean declared;

        public FaultRoot(Map<?, ?> m) {
            root = (int) number(m.get("root"));
            className = text(m.get("className"));
            method = text(m.get("method"));
            exception = text(m.get("exception"));
            message = text(m.get("message"));
            errno = (int) number(m.get("errno"));
            java = flag(m.get("java"));
            pipe = flag(m.get("pipe"));
            then = flag(m.get("then"));
            declared = flag(m.get("declared"));
        }
    }

    /** FaultGuard of the worker. */
    public static final class FaultGuard {
        public final String className;
        public final int guard;
        public final int outcome;

        public FaultGuard(Map<?, ?> m) {
            className = text(m.get("className"));
            guard = (int) number(m.get("guard"));
            outcome = (int) number(m.get("outcome"));
        }
    }

    private static String text(Object o) {
        return (String) o;
    }

    private static boolean flag(Object o) {
        return Boolean.TRUE.equals(o);
    }

    private static long number(Object o) {
        return o == null ? 0 : (Long) o;
    }

    private static List<?> list(Object o) {
        return o == null ? new ArrayList<Object>() : (List<?>) o;
    }

    private static List<String> texts(Object o) {
        List<String> all = new ArrayList<String>();
        for (Object s : list(o)) {
            all.add((String) s);
        }
        return all;
    }

    private static long[] numbers(Object o) {
        List<?> all = list(o);
        long[] ns = new long[all.size()];
        for (int i = 0; i < ns.length; i++) {
            ns[i] = (Long) all.get(i);
        }
        return ns;
    }

    private static int[] integers(Object o) {
        long[] ns = numbers(o);
        int[] is = new int[ns.length];
        for (int i = 0; i < is.length; i++) {
            is[i] = (int) ns[i];
        }
        return is;
    }

    private static Map<String, String> textsByName(Object o) {
        Map<String, String> all = new LinkedHashMap<String, String>();
        if (o != null) {
            for (Map.Entry<?, ?> e : ((Map<?, ?>) o).entrySet()) {
                all.put((String) e.getKey(), (String) e.getValue());
            }
        }
        return all;
    }
}
