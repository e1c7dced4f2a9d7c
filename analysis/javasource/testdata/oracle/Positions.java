import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

/**
 * Prints where javac's parser sees try, catch, throw, lambda, call and method
 * in the files that standard input names, one a line. Offsets are UTF-16 units
 * from the start of the file.
 */
public class Positions extends TreePathScanner<Void, Void> {
    static PrintStream out;
    static boolean sure = true;
    final CompilationUnitTree unit;
    final SourcePositions at;

    Positions(CompilationUnitTree unit, SourcePositions at) {
        this.unit = unit;
        this.at = at;
    }

    public static void main(String[] args) throws Exception {
        out = new PrintStream(new BufferedOutputStream(System.out), false, StandardCharsets.UTF_8);
        List<Path> files = new ArrayList<>();
        new BufferedReader(new InputStreamReader(System.in)).lines().forEach(line -> files.add(Path.of(line)));
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = javac.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        JavacTask task = (JavacTask) javac.getTask(null, manager, d -> {
            if (d.getKind() == Diagnostic.Kind.ERROR) {
                System.err.println(d); // the judge must be sure
                sure = false;
            }
        }, List.of("-proc:none"), null,
                manager.getJavaFileObjectsFromPaths(files));
        SourcePositions at = Trees.instance(task).getSourcePositions();
        for (CompilationUnitTree unit : task.parse()) {
            out.println("file " + new File(unit.getSourceFile().toUri()).getPath());
            new Positions(unit, at).scan(unit, null);
        }
        out.flush();
        System.exit(sure ? 0 : 1);
    }

    long start(Tree t) {
        return t == null ? -1 : at.getStartPosition(unit, t);
    }

    long end(Tree t) {
        return t == null ? -1 : at.getEndPosition(unit, t);
    }

    /** The source of a type without annotations and white space. */
    static String text(Object o) {
        return o.toString().replaceAll("@[\\w.]+(\\([^)]*\\))?|\\s+", "");
    }

    /** The classes and the method or initialiser around the current tree. */
    String owner() {
        String s = "";
        Tree child = null;
        for (TreePath p = getCurrentPath(); p != null; p = p.getParentPath()) {
            Tree t = p.getLeaf();
            if (t instanceof ClassTree) {
                ClassTree c = (ClassTree) t;
                if (s.isEmpty()) {
                    s = "field";
                }
                if (child instanceof BlockTree) {
                    s = ((BlockTree) child).isStatic() ? "static" : "block";
                } else if (child instanceof MethodTree) {
                    MethodTree m = (MethodTree) child;
                    s = m.getName() + "/" + m.getParameters().size();
                }
                return c.getSimpleName() + "." + s;
            }
            child = t;
        }
        return "?";
    }

    @Override
    public Void visitTry(TryTree t, Void v) {
        out.println("try " + start(t) + " " + end(t) + " " + start(t.getBlock()) + " " + end(t.getBlock()) + " "
                + t.getResources().size() + " " + t.getCatches().size() + " " + start(t.getFinallyBlock()) + " "
                + end(t.getFinallyBlock()));
        return super.visitTry(t, v);
    }

    @Override
    public Void visitCatch(CatchTree t, Void v) {
        Tree type = t.getParameter().getType();
        List<Tree> types = new ArrayList<>();
        if (type instanceof UnionTypeTree) {
            types.addAll(((UnionTypeTree) type).getTypeAlternatives());
        } else {
            types.add(type);
        }
        StringBuilder b = new StringBuilder();
        for (Tree x : types) {
            b.append(b.length() > 0 ? "|" : "").append(text(x));
        }
        String name = t.getParameter().getName().toString();
        out.println("catch " + start(t) + " " + start(t.getBlock()) + " " + end(t.getBlock()) + " " + b + " "
                + (name.isEmpty() ? "_" : name) + " " + owner());
        return super.visitCatch(t, v);
    }

    @Override
    public Void visitThrow(ThrowTree t, Void v) {
        out.println("throw " + start(t) + " " + end(t));
        return super.visitThrow(t, v);
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree t, Void v) {
        out.println("lambda " + start(t) + " " + start(t.getBody()) + " " + end(t.getBody()) + " " + t.getParameters().size());
        return super.visitLambdaExpression(t, v);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree t, Void v) {
        String name = t.getMethodSelect().toString();
        if (t.getMethodSelect() instanceof MemberSelectTree) {
            name = ((MemberSelectTree) t.getMethodSelect()).getIdentifier().toString();
        }
        out.println("call " + end(t.getMethodSelect()) + " " + name + " " + t.getArguments().size());
        return super.visitMethodInvocation(t, v);
    }

    @Override
    public Void visitNewClass(NewClassTree t, Void v) {
        Tree up = getCurrentPath().getParentPath().getLeaf();
        boolean constant = up instanceof VariableTree
                && ((VariableTree) up).getModifiers().getFlags().contains(javax.lang.model.element.Modifier.STATIC)
                && getCurrentPath().getParentPath().getParentPath().getLeaf().getKind() == Tree.Kind.ENUM
                && t.getIdentifier().toString().equals(
                        ((ClassTree) getCurrentPath().getParentPath().getParentPath().getLeaf()).getSimpleName().toString());
        if (!constant && !(t.getIdentifier() instanceof AnnotatedTypeTree)) {
            out.println("new " + start(t.getIdentifier()) + " " + t.getArguments().size() + " " + (t.getClassBody() != null));
        }
        return super.visitNewClass(t, v);
    }

    @Override
    public Void visitClass(ClassTree t, Void v) {
        if (!t.getSimpleName().toString().isEmpty() && end(t) >= 0) {
            out.println("class " + end(t) + " " + t.getSimpleName() + " " + t.getKind());
        }
        return super.visitClass(t, v);
    }

    @Override
    public Void visitMethod(MethodTree t, Void v) {
        if (end(t) > 0) {
            StringBuilder b = new StringBuilder();
            for (VariableTree p : t.getParameters()) {
                b.append(b.length() > 0 ? ";" : "").append(text(p.getType()));
            }
            out.println("method " + end(t) + " " + owner() + " (" + b + ")");
        }
        return super.visitMethod(t, v);
    }
}
