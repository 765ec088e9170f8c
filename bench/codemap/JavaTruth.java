import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.AnnotatedTypeTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what javac knows about the Java files below a folder, for bench/codemap/java.py: one JSON object a file, with
 * its symbols and what its calls call. What javac cannot resolve, because something the project needs is not there, is
 * said to be unknown.
 *
 * <pre>java JavaTruth.java folder</pre>
 */
public final class JavaTruth {
    private final Path root;
    private final Trees trees;
    private final SourcePositions positions;
    private final PrintStream out;
    private final Map<String, String> texts = new HashMap<>();

    private JavaTruth(Path root, Trees trees, PrintStream out) {
        this.root = root;
        this.trees = trees;
        this.positions = trees.getSourcePositions();
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toRealPath();
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> !path.endsWith("module-info.java") && !path.endsWith("package-info.java"))
                    .sorted()
                    .collect(Collectors.toList());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<String> options = List.of(
                "-proc:none", "-Xmaxerrs", "1000000", "-nowarn", "-XDshould-stop.ifError=FLOW", "-encoding", "UTF-8");
        JavacTask task = (JavacTask) compiler.getTask(
                null, manager, problem -> { }, options, null, manager.getJavaFileObjectsFromPaths(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        try (PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8)) {
            JavaTruth truth = new JavaTruth(root, Trees.instance(task), out);
            for (CompilationUnitTree unit : units) {
                truth.print(unit);
            }
        }
    }

    private void print(CompilationUnitTree unit) {
        Scanner scanner = new Scanner(unit);
        scanner.scan(unit, null);
        out.println("{\"file\":" + quoted(path(unit)) + ",\"checked\":true,\"symbols\":["
                + String.join(",", scanner.symbols) + "],\"calls\":[" + String.join(",", scanner.calls) + "]}");
    }

    private String path(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
    }

    private String text(CompilationUnitTree unit) {
        return texts.computeIfAbsent(path(unit), any -> {
            try {
                return unit.getSourceFile().getCharContent(true).toString();
            } catch (IOException problem) {
                return "";
            }
        });
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private final class Scanner extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final List<String> symbols = new ArrayList<>();
        final List<String> calls = new ArrayList<>();

        Scanner(CompilationUnitTree unit) {
            this.unit = unit;
        }

        @Override
        public Void visitClass(ClassTree node, Void nothing) {
            if (!node.getSimpleName().isEmpty()) {
                symbol("type", node.getSimpleName().toString(), node);
            }
            return super.visitClass(node, nothing);
        }

        @Override
        public Void visitMethod(MethodTree node, Void nothing) {
            if (written(node)) {
                String name = node.getName().toString();
                symbol("callable", name.equals("<init>") ? className(getCurrentPath()) : name, node);
            }
            return super.visitMethod(node, nothing);
        }

        @Override
        public Void visitVariable(VariableTree node, Void nothing) {
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            if (parent instanceof ClassTree && written(node)) {
                Element element = trees.getElement(getCurrentPath());
                boolean constant = element != null && element.getKind() == ElementKind.ENUM_CONSTANT;
                symbol(constant ? "variable" : "field", node.getName().toString(), node);
            }
            return super.visitVariable(node, nothing);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
            ExpressionTree select = node.getMethodSelect();
            call(select, new TreePath(getCurrentPath(), select), null);
            return super.visitMethodInvocation(node, nothing);
        }

        @Override
        public Void visitNewClass(NewClassTree node, Void nothing) {
            // An enum's constants are made without `new`.
            int at = (int) positions.getStartPosition(unit, node);
            boolean isWritten = at >= 0 && (text(unit).startsWith("new", at) || node.getEnclosingExpression() != null);
            if (isWritten) {
                Tree name = bare(node.getIdentifier());
                call(name, new TreePath(getCurrentPath(), node.getIdentifier()), node.getIdentifier());
            }
            return super.visitNewClass(node, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree node, Void nothing) {
            if (node.getMode() == MemberReferenceTree.ReferenceMode.NEW) {
                Tree name = bare(node.getQualifierExpression());
                call(name, new TreePath(getCurrentPath(), node.getQualifierExpression()), name);
            } else {
                call(node, getCurrentPath(), null);
            }
            return super.visitMemberReference(node, nothing);
        }

        private boolean written(Tree node) {
            long start = positions.getStartPosition(unit, node);
            long end = positions.getEndPosition(unit, node);
            if (start < 0 || end <= start) {
                return false;
            }
            if (node instanceof MethodTree && ((MethodTree) node).getName().contentEquals("<init>")) {
                // A constructor that javac adds begins where its class does.
                Tree parent = getCurrentPath().getParentPath().getLeaf();
                return start != positions.getStartPosition(unit, parent);
            }
            return true;
        }

        private String className(TreePath path) {
            return ((ClassTree) path.getParentPath().getLeaf()).getSimpleName().toString();
        }

        private void symbol(String kind, String name, Tree node) {
            long end = positions.getStartPosition(unit, node);
            symbols.add("{\"kind\":\"" + kind + "\",\"name\":" + quoted(name) + ",\"line\":"
                    + unit.getLineMap().getLineNumber(Math.max(0, end)) + "}");
        }

        private void call(Tree name, TreePath path, Tree made) {
            String word;
            int at;
            if (name instanceof IdentifierTree) {
                word = ((IdentifierTree) name).getName().toString();
                at = (int) positions.getStartPosition(unit, name);
            } else if (name instanceof MemberSelectTree) {
                word = ((MemberSelectTree) name).getIdentifier().toString();
                at = (int) positions.getEndPosition(unit, name) - word.length();
            } else if (name instanceof MemberReferenceTree) {
                word = ((MemberReferenceTree) name).getName().toString();
                at = (int) positions.getEndPosition(unit, name) - word.length();
            } else {
                return;
            }
            if (at < 0) {
                return;
            }
            String text = text(unit);
            if (!text.startsWith(word, at)) {
                return; // what javac adds itself: `super()`
            }
            Element element = made == null ? trees.getElement(path) : type(path);
            int line = (int) unit.getLineMap().getLineNumber(at);
            int start = text.lastIndexOf('\n', at - 1) + 1;
            int column = text.substring(start, at).getBytes(StandardCharsets.UTF_8).length;
            calls.add("{\"line\":" + line + ",\"column\":" + column + "," + target(element, word) + "}");
        }

        private Element type(TreePath path) {
            Element element = trees.getElement(path);
            if (element instanceof TypeElement) {
                return element;
            }
            TypeMirror mirror = trees.getTypeMirror(path);
            return mirror instanceof DeclaredType && mirror.getKind() == TypeKind.DECLARED
                    ? ((DeclaredType) mirror).asElement()
                    : null;
        }

        private Tree bare(Tree type) {
            while (true) {
                if (type instanceof ParameterizedTypeTree) {
                    type = ((ParameterizedTypeTree) type).getType();
                } else if (type instanceof AnnotatedTypeTree) {
                    type = ((AnnotatedTypeTree) type).getUnderlyingType();
                } else if (type instanceof ParenthesizedTree) {
                    type = ((ParenthesizedTree) type).getExpression();
                } else {
                    return type;
                }
            }
        }

        private String target(Element element, String word) {
            if (element instanceof ExecutableElement && element.getKind() == ElementKind.CONSTRUCTOR) {
                element = element.getEnclosingElement(); // an edge leads to the type of what is made
            }
            boolean isMethod = element instanceof ExecutableElement;
            boolean isType = element instanceof TypeElement;
            if ((!isMethod && !isType) || element.asType().getKind() == TypeKind.ERROR) {
                return said("unknown", word, "", "", 0);
            }
            TreePath path = trees.getPath(element);
            Element owner = element.getEnclosingElement();
            String above = owner instanceof TypeElement ? owner.getSimpleName().toString() : "";
            if (path == null && isMethod && owner instanceof TypeElement && trees.getPath(owner) != null) {
                path = trees.getPath(owner); // what javac adds itself: values(), a record's accessors
                return said("unknown", word, above, path(path.getCompilationUnit()), 0);
            }
            if (path == null) {
                return said("outside", word, above, "", 0);
            }
            CompilationUnitTree there = path.getCompilationUnit();
            long start = positions.getStartPosition(there, path.getLeaf());
            int line = (int) there.getLineMap().getLineNumber(Math.max(0, start));
            return said(isType ? "type" : "method", element.getSimpleName().toString(), above, path(there), line);
        }

        private String said(String kind, String name, String owner, String file, int at) {
            return "\"kind\":\"" + kind + "\",\"name\":" + quoted(name) + ",\"owner\":" + quoted(owner) + ",\"file\":"
                    + quoted(file) + ",\"at\":" + at;
        }
    }
}
