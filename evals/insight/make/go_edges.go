// Tells which files of Go modules use which, by Go's own parser and type checker: `go run go_edges.go FOLDER`.
//
// Every module below FOLDER is read, every file of it whatever its build constraints. Lines: kind, from, to; kind `import` where an
// import is used by name (or blank), `same_package` where a name of the same package is used.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

type unit struct {
	path, name, dir string
	files           map[string]*ast.File
}

var (
	root     string
	fset     = token.NewFileSet()
	units    = map[string]*unit{} // of code, by import path
	tests    []*unit
	checked  = map[string]*types.Package{}
	edges    = map[string]bool{}
	declared = map[string]map[string][]string{} // by import path, name: files
)

func main() {
	root = os.Args[1]
	modules := map[string]string{}
	walk(func(path string) {
		if filepath.Base(path) == "go.mod" {
			modules[filepath.Dir(path)] = modulePath(path)
		}
	})
	walk(func(path string) {
		if strings.HasSuffix(path, ".go") {
			add(path, modules)
		}
	})
	for path := range units {
		check(path)
	}
	for _, test := range tests {
		report(test)
	}
	lines := make([]string, 0, len(edges))
	for edge := range edges {
		lines = append(lines, edge)
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
}

func walk(visit func(string)) {
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "vendor" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if err == nil && !entry.IsDir() {
			visit(path)
		}
		return nil
	})
}

func modulePath(path string) string {
	text, _ := os.ReadFile(path)
	for _, line := range strings.Split(string(text), "\n") {
		if rest := strings.TrimPrefix(strings.TrimSpace(line), "module "); rest != strings.TrimSpace(line) {
			return strings.Trim(strings.TrimSpace(strings.Split(rest, "//")[0]), `"`)
		}
	}
	return ""
}

func importPath(dir string, modules map[string]string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if module, ok := modules[at]; ok {
			rest, _ := filepath.Rel(at, dir)
			return filepath.ToSlash(filepath.Join(module, rest))
		}
		if at == filepath.Dir(at) {
			return "nowhere/" + dir
		}
	}
}

func add(path string, modules map[string]string) {
	file, err := parser.ParseFile(fset, path, nil, 0)
	if file == nil || file.Name == nil {
		fmt.Fprintln(os.Stderr, "unread", path, err)
		return
	}
	dir := filepath.Dir(path)
	at, name := importPath(dir, modules), file.Name.Name
	if strings.HasSuffix(path, "_test.go") {
		if strings.HasSuffix(name, "_test") {
			name = "external"
		} else {
			name = "internal"
		}
		for _, test := range tests {
			if test.path == at && test.name == name {
				test.files[path] = file
				return
			}
		}
		tests = append(tests, &unit{at, name, dir, map[string]*ast.File{path: file}})
		return
	}
	if units[at] == nil {
		units[at] = &unit{at, name, dir, map[string]*ast.File{}}
		declared[at] = map[string][]string{}
	}
	units[at].files[path] = file
	note(at, path, file)
}

// Package-level names of a file.
func note(at, path string, file *ast.File) {
	for name := range names(file) {
		declared[at][name] = append(declared[at][name], path)
	}
}

func names(file *ast.File) map[string]bool {
	found := map[string]bool{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.Name != "init" && decl.Name.Name != "_" {
				found[decl.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					found[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						found[name.Name] = name.Name != "_"
					}
				}
			}
		}
	}
	return found
}

func check(path string) *types.Package {
	if known, ok := checked[path]; ok {
		return known
	}
	checked[path] = types.NewPackage(path, filepath.Base(path))
	if units[path] != nil {
		checked[path] = report(units[path])
	}
	return checked[path]
}

type importer struct{}

func (importer) Import(path string) (*types.Package, error) {
	known := check(path)
	known.MarkComplete()
	return known, nil
}

// Type-checks a package and notes what its files use.
func report(of *unit) *types.Package {
	files := map[string]*ast.File{}
	for path, file := range of.files {
		files[path] = file
	}
	if of.name == "internal" && units[of.path] != nil {
		for path, file := range units[of.path].files {
			files[path] = file
		}
	}
	paths := make([]string, 0, len(files))
	for path := range files {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	list := make([]*ast.File, 0, len(paths))
	for _, path := range paths {
		list = append(list, files[path])
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer{}, Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check(of.path, fset, list, info)
	here := map[string][]string{}
	for path, file := range files {
		for name := range names(file) {
			here[name] = append(here[name], path)
		}
	}
	for path := range of.files {
		uses(of, path, files[path], info, pkg, here)
	}
	return pkg
}

func uses(of *unit, path string, file *ast.File, info *types.Info, pkg *types.Package, here map[string][]string) {
	used, imported := map[string]int{}, map[string]string{}
	for _, spec := range file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			imported[spec.Name.Name] = target
		} else if units[target] != nil {
			imported[units[target].name] = target
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		ident, ok := selector.X.(*ast.Ident)
		if !ok {
			return true
		}
		object, known := info.Uses[ident]
		name, ok := object.(*types.PkgName)
		target := imported[ident.Name]
		if ok {
			target = name.Imported().Path()
		}
		// The checker gives up within code that does not type without its libraries.
		if ok || !known && target != "" {
			for _, to := range declaredFor(of, target)[selector.Sel.Name] {
				edge("import", path, to)
				used[target]++
			}
		}
		return true
	})
	for ident, object := range info.Uses {
		if fset.File(ident.Pos()).Name() != path || object.Pkg() == nil || object.Parent() != object.Pkg().Scope() {
			continue
		}
		if object.Pkg() == pkg {
			for _, to := range here[ident.Name] {
				if !contains(here[ident.Name], path) {
					edge("same_package", path, to)
				}
			}
		}
	}
	for _, spec := range file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == "_" && units[target] != nil && used[target] == 0 {
			for to := range units[target].files {
				edge("import", path, to)
			}
		}
		if spec.Name != nil && spec.Name.Name == "." {
			fmt.Fprintln(os.Stderr, "dot import", path, target)
		}
	}
}

// What an import of a package sees; tests of a package see what its inner tests declare.
func declaredFor(of *unit, target string) map[string][]string {
	if of.name != "external" || of.path != target {
		return declared[target]
	}
	all := map[string][]string{}
	for name, files := range declared[target] {
		all[name] = append(all[name], files...)
	}
	for _, test := range tests {
		if test.path == target && test.name == "internal" {
			for path, file := range test.files {
				for name := range names(file) {
					all[name] = append(all[name], path)
				}
			}
		}
	}
	return all
}

func contains(list []string, one string) bool {
	for _, item := range list {
		if item == one {
			return true
		}
	}
	return false
}

func edge(kind, from, to string) {
	if from == to {
		return
	}
	a, _ := filepath.Rel(root, from)
	b, _ := filepath.Rel(root, to)
	edges[kind+"\t"+filepath.ToSlash(a)+"\t"+filepath.ToSlash(b)] = true
}
