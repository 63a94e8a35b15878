import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * Lists the definitions of a Java repository and every reference to them, by javac's own attribution:
 * {@code java TruthScanner.java ROOT JARS FOLDER…}, where FOLDER is a source folder below ROOT and JARS a folder of libraries.
 *
 * <p>Lines of tabs: {@code D id kind name path line}, the name with all types around it, {@code R id path line role enclosing},
 * {@code U name path line} for what javac could not attribute. A definition in an
 * anonymous class has no name and is only an end of edges.
 */
public class TruthScanner {
    static Path root;
    static Trees trees;
    static Elements elements;
    static Types types;
    static final Map<Element, String> ids = new HashMap<>();
    static final LinkedHashSet<String> lines = new LinkedHashSet<>();
    static final TreeMap<String, Integer> unresolved = new TreeMap<>();

    public static void main(String[] args) throws Exception {
        root = Path.of(args[0]).toAbsolutePath().normalize();
        List<File> files = new ArrayList<>();
        for (String folder : List.of(args).subList(2, args.length)) {
            try (Stream<Path> all = Files.walk(root.resolve(folder))) {
                all.filter(p -> p.toString().endsWith(".java") && !p.endsWith("module-info.java")).map(Path::toFile).sorted().forEach(files::add);
            }
        }
        String jars;
        try (Stream<Path> all = Files.list(Path.of(args[1]))) {
            jars = all.map(Path::toString).filter(p -> p.endsWith(".jar")).collect(Collectors.joining(":"));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(d -> {}, null, null);
        JavacTask task = (JavacTask) compiler.getTask(new StringWriter(), manager,
                d -> { if (d.getKind() == Diagnostic.Kind.ERROR) System.err.println(d.getSource() == null ? d : name(d.getSource()) + ":" + d.getLineNumber() + ": " + d.getMessage(null).replace('\n', ' ')); },
                List.of("-proc:none", "-Xmaxerrs", "1000000", "-XDshould-stop.ifError=FLOW", "-cp", jars), null, manager.getJavaFileObjectsFromFiles(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        trees = Trees.instance(task);
        elements = task.getElements();
        types = task.getTypes();
        for (CompilationUnitTree unit : units) new Definitions(unit).scan(new TreePath(unit), null);
        for (CompilationUnitTree unit : units) new References(unit).scan(new TreePath(unit), null);
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false, "UTF-8");
        lines.forEach(out::println);
        out.flush();
        unresolved.forEach((what, n) -> System.err.println("unresolved\t" + what + "\t" + n));
    }

    static String name(FileObject file) {
        return root.relativize(Path.of(file.toUri())).toString().replace(File.separatorChar, '/');
    }

    /** What both passes know of a file. */
    abstract static class Reader extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final String path;
        final String text;
        final SourcePositions positions = trees.getSourcePositions();

        Reader(CompilationUnitTree unit) {
            this.unit = unit;
            this.path = name(unit.getSourceFile());
            try {
                this.text = unit.getSourceFile().getCharContent(true).toString();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        long line(long position) {
            return unit.getLineMap().getLineNumber(position);
        }

        /** Where `name` stands as a word at or after `from`, outside of comments and annotations' arguments as far as `from` is after them. */
        long word(String name, long from) {
            java.util.regex.Matcher m = java.util.regex.Pattern.compile("/\\*.*?\\*/|//[^\n]*|\\b" + java.util.regex.Pattern.quote(name) + "\\b", java.util.regex.Pattern.DOTALL).matcher(text);
            int at = (int) from;
            while (m.find(at)) {
                if (m.group().equals(name)) return m.start();
                at = m.end();
            }
            return -1;
        }

        static boolean anonymous(Element e) {
            return e != null && e.getKind() != ElementKind.PACKAGE && (e.getKind().isClass() || e.getKind().isInterface()) && e.getSimpleName().length() == 0;
        }
    }

    static class Definitions extends Reader {
        Definitions(CompilationUnitTree unit) {
            super(unit);
        }

        @Override
        public Void visitClass(ClassTree node, Void p) {
            Element e = trees.getElement(getCurrentPath());
            if (e != null && e.getSimpleName().length() > 0) {
                long from = positions.getEndPosition(unit, node.getModifiers());
                if (from < 0) from = positions.getStartPosition(unit, node);
                add(e, "type", node.getSimpleName().toString(), word(node.getSimpleName().toString(), from));
            }
            return super.visitClass(node, p);
        }

        @Override
        public Void visitMethod(MethodTree node, Void p) {
            Element e = trees.getElement(getCurrentPath());
            if (e != null) {
                boolean constructor = e.getKind() == ElementKind.CONSTRUCTOR;
                String name = (constructor ? e.getEnclosingElement().getSimpleName() : node.getName()).toString();
                long from = node.getReturnType() != null ? positions.getEndPosition(unit, node.getReturnType()) : positions.getEndPosition(unit, node.getModifiers());
                if (from < 0) from = positions.getStartPosition(unit, node);
                if (from >= 0 && elements.getOrigin(e) == Elements.Origin.EXPLICIT) {
                    long at = name.isEmpty() ? from : word(name, from);
                    add(e, constructor ? "constructor" : "method", name, at);
                }
            }
            return super.visitMethod(node, p);
        }

        @Override
        public Void visitVariable(VariableTree node, Void p) {
            Element e = trees.getElement(getCurrentPath());
            if (e != null && (e.getKind() == ElementKind.FIELD || e.getKind() == ElementKind.ENUM_CONSTANT)) {
                Set<Modifier> m = e.getModifiers();
                boolean constant = m.contains(Modifier.STATIC) && m.contains(Modifier.FINAL);
                long from = e.getKind() == ElementKind.ENUM_CONSTANT ? positions.getStartPosition(unit, node) : positions.getEndPosition(unit, node.getType());
                if (from >= 0) add(e, constant ? "constant" : "field", node.getName().toString(), word(node.getName().toString(), from));
            }
            return super.visitVariable(node, p);
        }

        void add(Element e, String kind, String last, long at) {
            String id = path + ":" + at;
            if (kind.equals("constructor")) id += ":c";
            ids.put(e, id);
            String qualified = last;
            boolean unnamed = false;
            for (Element o = e.getEnclosingElement(); o != null && o.getKind() != ElementKind.PACKAGE; o = o.getEnclosingElement()) {
                unnamed |= anonymous(o);
                if (o.getSimpleName().length() > 0) qualified = o.getSimpleName() + "." + qualified;
            }
            lines.add(String.join("\t", "D", id, unnamed ? "unnamed" : kind, qualified, path, "" + line(at)));
        }
    }

    static class References extends Reader {
        References(CompilationUnitTree unit) {
            super(unit);
        }

        /** The named method or type that this place is in. */
        String enclosing(TreePath from) {
            String best = "-";
            for (TreePath at = from; at != null; at = at.getParentPath()) {
                Tree tree = at.getLeaf();
                if (!(tree instanceof MethodTree) && !(tree instanceof ClassTree)) continue;
                Element e = trees.getElement(at);
                String id = ids.get(e);
                boolean unnamed = false;
                for (Element o = e; o != null; o = o.getEnclosingElement()) unnamed |= anonymous(o);
                if (id != null && !unnamed) return id;
            }
            return best;
        }

        void add(Element to, long at, String role) {
            String id = ids.get(to);
            if (id != null && at >= 0) lines.add(String.join("\t", "R", id, path, "" + line(at), role, enclosing(getCurrentPath())));
        }

        /** A name at its end position; what javac made up stands on other text and is left out. */
        void mention(Tree node, String name, String role) {
            Element to = trees.getElement(getCurrentPath());
            long end = positions.getEndPosition(unit, node), at = end - name.length();
            if (end < 0 || at < 0 || !text.startsWith(name, (int) at)) return;
            if (to == null || to.asType() != null && to.asType().getKind() == TypeKind.ERROR) {
                if (!(getCurrentPath().getParentPath().getLeaf() instanceof PackageTree)) {
                    unresolved.merge(path.replaceAll("[^/]*$", "") + " " + name, 1, Integer::sum);
                    lines.add(String.join("\t", "U", name, path, "" + line(at)));
                }
                return;
            }
            add(to, at, role);
        }

        @Override
        public Void visitIdentifier(IdentifierTree node, Void p) {
            if (!node.getName().contentEquals("this") && !node.getName().contentEquals("super")) mention(node, node.getName().toString(), role());
            return null;
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree node, Void p) {
            String name = node.getIdentifier().toString();
            if (inImport() && trees.getElement(getCurrentPath()) == null) {
                staticImport(node, name);
            } else if (!name.equals("class") && !name.equals("this") && !name.equals("super") && !name.equals("*")) {
                mention(node, name, role());
            }
            return super.visitMemberSelect(node, p);
        }

        /** `import static A.b;` names every member b of A and what A inherits. */
        void staticImport(MemberSelectTree node, String name) {
            Element type = trees.getElement(new TreePath(getCurrentPath(), node.getExpression()));
            if (!(type instanceof TypeElement)) return;
            long at = positions.getEndPosition(unit, node) - name.length();
            for (Element member : elements.getAllMembers((TypeElement) type)) {
                if (member.getSimpleName().contentEquals(name) && member.getModifiers().contains(Modifier.STATIC)) add(member, at, "import");
            }
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree node, Void p) {
            String name = node.getMode() == MemberReferenceTree.ReferenceMode.NEW ? "new" : node.getName().toString();
            mention(node, name, "read");
            return super.visitMemberReference(node, p);
        }

        @Override
        public Void visitNewClass(NewClassTree node, Void p) {
            Element constructor = trees.getElement(getCurrentPath());
            Element target = constructor;
            if (constructor != null && anonymous(constructor.getEnclosingElement())) {
                // the anonymous class's own constructor; which one of the supertype it calls is in its body
                target = null;
            }
            if (target != null) add(target, positions.getStartPosition(unit, node.getIdentifier()) >= 0 ? positions.getStartPosition(unit, node.getIdentifier()) : positions.getStartPosition(unit, node), "call");
            return super.visitNewClass(node, p);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree node, Void p) {
            String name = node.getMethodSelect().toString();
            if (name.equals("this") || name.equals("super") || name.endsWith(".super")) {
                Element e = trees.getElement(getCurrentPath());
                long start = positions.getStartPosition(unit, node);
                if (e != null && start >= 0 && text.startsWith(name.equals("this") ? "this" : "super", (int) start)) add(e, start, "call");
            }
            return super.visitMethodInvocation(node, p);
        }

        @Override
        public Void visitMethod(MethodTree node, Void p) {
            Element e = trees.getElement(getCurrentPath());
            if (e instanceof ExecutableElement && ids.containsKey(e) && e.getKind() == ElementKind.METHOD) {
                long at = Long.parseLong(ids.get(e).substring(ids.get(e).lastIndexOf(':') + 1));
                Set<Element> seen = new HashSet<>();
                overridden((ExecutableElement) e, (TypeElement) e.getEnclosingElement(), e.getEnclosingElement().asType(), at, seen);
            }
            return super.visitMethod(node, p);
        }

        void overridden(ExecutableElement method, TypeElement owner, TypeMirror type, long at, Set<Element> seen) {
            for (TypeMirror parent : types.directSupertypes(type)) {
                Element e = types.asElement(parent);
                if (e == null || !seen.add(e)) continue;
                for (Element member : e.getEnclosedElements()) {
                    if (member instanceof ExecutableElement && ids.containsKey(member) && elements.overrides(method, (ExecutableElement) member, owner)) {
                        add(member, at, member.getModifiers().contains(Modifier.ABSTRACT) ? "implement" : "override");
                    }
                }
                overridden(method, owner, parent, at, seen);
            }
        }

        boolean inImport() {
            for (TreePath at = getCurrentPath(); at != null; at = at.getParentPath()) if (at.getLeaf() instanceof ImportTree) return true;
            return false;
        }

        String role() {
            if (inImport()) return "import";
            Element e = trees.getElement(getCurrentPath());
            TreePath at = getCurrentPath();
            Tree child = at.getLeaf(), parent = at.getParentPath().getLeaf();
            while (parent instanceof ParenthesizedTree || parent instanceof AnnotatedTypeTree
                    || parent instanceof ParameterizedTypeTree && ((ParameterizedTypeTree) parent).getType() == child) {
                at = at.getParentPath();
                child = parent;
                parent = at.getParentPath().getLeaf();
            }
            if (e != null && (e.getKind().isClass() || e.getKind().isInterface())) {
                if (parent instanceof NewClassTree && ((NewClassTree) parent).getIdentifier() == child) return "call";
                if (parent instanceof ClassTree) {
                    ClassTree c = (ClassTree) parent;
                    if (c.getExtendsClause() == child) return "inherit";
                    if (c.getImplementsClause().contains(child)) return c.getKind() == Tree.Kind.INTERFACE ? "inherit" : "implement";
                }
                return "type";
            }
            if (e instanceof ExecutableElement) {
                if (parent instanceof MethodInvocationTree && ((MethodInvocationTree) parent).getMethodSelect() == child) return "call";
                return "other";
            }
            if (parent instanceof AssignmentTree && ((AssignmentTree) parent).getVariable() == child) return "write";
            if (parent instanceof CompoundAssignmentTree && ((CompoundAssignmentTree) parent).getVariable() == child) return "write";
            if (parent instanceof UnaryTree && (parent.getKind() == Tree.Kind.PREFIX_INCREMENT || parent.getKind() == Tree.Kind.PREFIX_DECREMENT
                    || parent.getKind() == Tree.Kind.POSTFIX_INCREMENT || parent.getKind() == Tree.Kind.POSTFIX_DECREMENT)) return "write";
            return "read";
        }
    }
}
