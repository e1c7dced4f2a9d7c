import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * Writes classes of the JDK whose methods tell when they begin, and whose conditions ask what they are:
 * Rewrite FOLDER CLASS... with internal names. A condition about references or instanceof stays as it
 * is (Rountev et al. 2004, section 6).
 */
public final class Rewrite {
    private static final String STACKS = "recorded/Stacks";

    public static void main(String[] args) throws Exception {
        for (int i = 1; i < args.length; i++) {
            try (InputStream in = ClassLoader.getSystemResourceAsStream(args[i] + ".class")) {
                ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
                new ClassReader(in).accept(new ClassVisitor(Opcodes.ASM8, out) {
                    @Override
                    public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] thrown) {
                        return new Probes(super.visitMethod(access, name, desc, sig, thrown));
                    }
                }, 0);
                Path file = Path.of(args[0], args[i] + ".class");
                Files.createDirectories(file.getParent());
                Files.write(file, out.toByteArray());
            }
        }
    }

    private static final class Probes extends MethodVisitor {
        private boolean type; // the last instruction is instanceof

        Probes(MethodVisitor to) { super(Opcodes.ASM8, to); }

        private void call(String name, String desc) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, STACKS, name, desc, false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            call("begin", "()V");
        }

        @Override
        public void visitJumpInsn(int op, Label to) {
            if (op >= Opcodes.IFEQ && op <= Opcodes.IFLE && !type) {
                call("condition", "(I)I");
            } else if (op >= Opcodes.IF_ICMPEQ && op <= Opcodes.IF_ICMPLE) {
                call("compare", "(II)I");
                op -= Opcodes.IF_ICMPEQ - Opcodes.IFEQ;
            }
            type = false;
            super.visitJumpInsn(op, to);
        }

        private void select(List<Integer> keys) {
            super.visitLdcInsn(keys.stream().map(String::valueOf).collect(Collectors.joining(" ")));
            call("select", "(ILjava/lang/String;)I");
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... to) {
            type = false;
            select(IntStream.rangeClosed(min, max).boxed().collect(Collectors.toList()));
            super.visitTableSwitchInsn(min, max, other, to);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] to) {
            type = false;
            List<Integer> all = new ArrayList<>();
            for (int k : keys) {
                all.add(k);
            }
            select(all);
            super.visitLookupSwitchInsn(other, keys, to);
        }

        @Override
        public void visitTypeInsn(int op, String name) {
            super.visitTypeInsn(op, name);
            type = op == Opcodes.INSTANCEOF;
        }

        @Override
        public void visitInsn(int op) { type = false; super.visitInsn(op); }

        @Override
        public void visitVarInsn(int op, int v) { type = false; super.visitVarInsn(op, v); }

        @Override
        public void visitFieldInsn(int op, String owner, String name, String desc) {
            type = false;
            super.visitFieldInsn(op, owner, name, desc);
        }

        @Override
        public void visitMethodInsn(int op, String owner, String name, String desc, boolean itf) {
            type = false;
            super.visitMethodInsn(op, owner, name, desc, itf);
        }
    }
}
