import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Tells which files of Java use which, by javac's own attribution: {@code java JavaEdges.java FOLDER}.
 *
 * <p>Libraries that are not there are errors that are passed over. Lines: kind, from, to. An import leads to the file of the type,
 * or of the type whose member it imports; one with a star to the files whose types or members are used by their plain names.
 */
public class JavaEdges {
    static Path root;
    static final Map<Object, String> fileOf = new HashMap<>();
    static final Map<String, String> packageOf = new HashMap<>();
    static final TreeSet<String> lines = new TreeSet<>();

    public static void main(String[] args) throws Exception {
        root = Path.of(args[0]).toAbsolutePath().normalize();
        List<File> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(p -> p.toString().endsWith(".java") && !p.endsWith("module-info.java") && !p.endsWith("package-info.java"))
                    .map(Path::toFile).sorted().collect(Collectors.toList());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(d -> {}, null, null);
        JavacTask task = (JavacTask) compiler.getTask(new StringWriter(), manager, d -> {},
                List.of("-proc:none", "-Xmaxerrs", "1000000", "-XDshould-stop.ifError=FLOW"), null, manager.getJavaFileObjectsFromFiles(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Trees trees = Trees.instance(task);
        for (CompilationUnitTree unit : units) {
            for (Tree type : unit.getTypeDecls()) {
                Element element = trees.getElement(new TreePath(new TreePath(unit), type));
                if (element != null) fileOf.putIfAbsent(element, name(unit));
            }
            packageOf.put(name(unit), unit.getPackageName() == null ? "" : unit.getPackageName().toString());
        }
        units.forEach(unit -> new Reader(trees, unit).read());
        lines.forEach(System.out::println);
    }

    static String name(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString().replace(File.separatorChar, '/');
    }

    /** The file of the outermost type around an element. */
    static String home(Element element) {
        while (element != null && element.getEnclosingElement() != null
                && element.getEnclosingElement().getKind() != ElementKind.PACKAGE) {
            element = element.getEnclosingElement();
        }
        return element == null ? null : fileOf.get(element);
    }

    static class Reader extends TreePathScanner<Void, Void> {
        final Trees trees;
        final CompilationUnitTree unit;
        final String from;
        final Set<String> stars = new HashSet<>();
        final Set<String> starTypes = new HashSet<>();

        Reader(Trees trees, CompilationUnitTree unit) {
            this.trees = trees;
            this.unit = unit;
            this.from = name(unit);
        }

        void read() {
            for (ImportTree statement : unit.getImports()) {
                MemberSelectTree target = (MemberSelectTree) statement.getQualifiedIdentifier();
                TreePath path = TreePath.getPath(unit, target.getExpression());
                Element of = trees.getElement(path);
                boolean star = target.getIdentifier().contentEquals("*");
                if (star && of instanceof PackageElement) {
                    stars.add(of.toString());
                } else if (star || statement.isStatic()) {
                    edge("import", home(of));
                } else {
                    edge("import", home(trees.getElement(TreePath.getPath(unit, target))));
                }
            }
            scan(new TreePath(unit), null);
        }

        @Override
        public Void visitImport(ImportTree node, Void p) {
            return null;
        }

        @Override
        public Void visitIdentifier(IdentifierTree node, Void p) {
            Element element = trees.getElement(getCurrentPath());
            if (element != null && (element.getKind().isClass() || element.getKind().isInterface())
                    && element.getEnclosingElement() instanceof PackageElement) {
                String to = home(element), in = element.getEnclosingElement().toString();
                if (stars.contains(in)) edge("import", to);
                else if (to != null && packageOf.get(from).equals(packageOf.get(to))) edge("same_package", to);
            }
            return null;
        }

        void edge(String kind, String to) {
            if (to != null && !to.equals(from)) lines.add(kind + "\t" + from + "\t" + to);
        }
    }
}
