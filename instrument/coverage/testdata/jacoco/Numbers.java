import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.flow.ClassProbesVisitor;
import org.jacoco.core.internal.flow.IFrame;
import org.jacoco.core.internal.flow.LabelInfo;
import org.jacoco.core.internal.flow.MethodProbesVisitor;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.internal.instr.InstrSupport;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;

/** Prints JaCoCo's id and probes of each class of some jars: where each stands, by instructions. */
public class Numbers {
    public static void main(String[] jars) throws Exception {
        for (String jar : jars) {
            try (ZipFile zip = new ZipFile(jar)) {
                var classes = new TreeMap<String, byte[]>();
                for (var e : (Iterable<ZipEntry>) zip.stream().map(x -> (ZipEntry) x)::iterator) {
                    if (e.getName().endsWith(".class")) {
                        try (InputStream in = zip.getInputStream(e)) {
                            classes.put(e.getName(), in.readAllBytes());
                        }
                    }
                }
                var out = new StringBuilder();
                for (var c : classes.entrySet()) {
                    out.append(c.getKey()).append(' ').append(Long.toHexString(CRC64.classId(c.getValue())));
                    ClassReader reader = InstrSupport.classReaderFor(c.getValue());
                    reader.accept(new ClassProbesAdapter(new OfClass(out), false), 0);
                    out.append('\n');
                }
                System.out.print(out);
            }
        }
    }

    static final class OfClass extends ClassProbesVisitor {
        final StringBuilder out;

        OfClass(StringBuilder out) {
            this.out = out;
        }

        @Override
        public MethodProbesVisitor visitMethod(int access, String name, String desc, String signature, String[] x) {
            return new OfMethod(out);
        }

        @Override
        public void visitTotalProbeCount(int count) {
            out.append(" of ").append(count);
        }
    }

    static final class OfMethod extends MethodProbesVisitor {
        record Probe(int id, int from, Label to, boolean jump) {}

        final StringBuilder out;
        final List<Probe> probes = new ArrayList<>();
        final Map<Label, Integer> labels = new IdentityHashMap<>();
        int at; // the next instruction

        OfMethod(StringBuilder out) {
            this.out = out;
        }

        @Override public void visitLabel(Label l) { labels.put(l, at); }
        @Override public void visitProbe(int id) { probes.add(new Probe(id, at - 1, null, true)); }
        @Override public void visitInsn(int op) { at++; }
        @Override public void visitIntInsn(int op, int x) { at++; }
        @Override public void visitVarInsn(int op, int x) { at++; }
        @Override public void visitTypeInsn(int op, String x) { at++; }
        @Override public void visitFieldInsn(int op, String x, String y, String z) { at++; }
        @Override public void visitMethodInsn(int op, String x, String y, String z, boolean w) { at++; }
        @Override public void visitInvokeDynamicInsn(String x, String y, Handle z, Object... w) { at++; }
        @Override public void visitLdcInsn(Object x) { at++; }
        @Override public void visitIincInsn(int x, int y) { at++; }
        @Override public void visitMultiANewArrayInsn(String x, int y) { at++; }
        @Override public void visitJumpInsn(int op, Label l) { at++; }
        @Override public void visitTableSwitchInsn(int x, int y, Label z, Label... w) { at++; }
        @Override public void visitLookupSwitchInsn(Label x, int[] y, Label[] z) { at++; }

        @Override
        public void visitInsnWithProbe(int op, int id) {
            probes.add(new Probe(id, at++, null, false));
        }

        @Override
        public void visitJumpInsnWithProbe(int op, Label l, int id, IFrame f) {
            probes.add(new Probe(id, at++, l, true));
        }

        @Override
        public void visitTableSwitchInsnWithProbes(int x, int y, Label dflt, Label[] ls, IFrame f) {
            visitSwitch(dflt, ls);
        }

        @Override
        public void visitLookupSwitchInsnWithProbes(Label dflt, int[] x, Label[] ls, IFrame f) {
            visitSwitch(dflt, ls);
        }

        void visitSwitch(Label dflt, Label[] ls) {
            var all = new TreeMap<Integer, Label>();
            for (Label l : ls) all.put(LabelInfo.getProbeId(l), l);
            all.put(LabelInfo.getProbeId(dflt), dflt);
            all.remove(LabelInfo.NO_PROBE);
            for (var e : all.entrySet()) probes.add(new Probe(e.getKey(), at, e.getValue(), true));
            at++;
        }

        @Override
        public void visitEnd() {
            for (Probe p : probes) {
                int to = p.to() != null ? labels.get(p.to()) : p.jump() ? p.from() + 1 : -1;
                out.append(' ').append(p.id()).append(':').append(p.from()).append('>').append(to);
            }
        }
    }
}
