// Prints what the go compiler's own front end knows about the Go files below a folder, for bench/codemap/go.py:
// one JSON object a file, with its symbols and what its calls call.
//
//	go run main.go <folder>
//
// Dependencies are read as source from GOPATH (GO111MODULE=off); what cannot be resolved is said to be unknown.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Call is a call, composite literal or conversion: where its last name stands, and what it leads to.
type Call struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Kind   string `json:"kind"` // function, method, type, outside, variable, unknown
	Name   string `json:"name"`
	Owner  string `json:"owner"`
	File   string `json:"file"`
	At     int    `json:"at"`
}

// Symbol is a declaration.
type Symbol struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Line int    `json:"line"`
}

// File is what is known of one file.
type File struct {
	File    string   `json:"file"`
	Checked bool     `json:"checked"`
	Symbols []Symbol `json:"symbols"`
	Calls   []Call   `json:"calls"`
}

var (
	root string
	fset = token.NewFileSet()
	imp  types.Importer
)

func main() {
	root, _ = filepath.Abs(os.Args[1])
	imp = importer.ForCompiler(fset, "source", nil)
	folders := map[string][]string{}
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && strings.HasSuffix(path, ".go") {
			folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], path)
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	names := []string{}
	for folder := range folders {
		names = append(names, folder)
	}
	sort.Strings(names)
	for _, folder := range names {
		read(folder, folders[folder])
	}
}

// read prints the files of a folder: those that belong together are checked together.
func read(folder string, paths []string) {
	built, _ := build.ImportDir(folder, 0)
	group := map[string]string{}
	if built != nil {
		for _, name := range append(append([]string{}, built.GoFiles...), built.TestGoFiles...) {
			group[name] = "own"
		}
		for _, name := range built.XTestGoFiles {
			group[name] = "external"
		}
	}
	files := map[string][]*ast.File{}
	parsed := map[string]*ast.File{}
	for _, path := range paths {
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if file == nil || err != nil {
			continue
		}
		parsed[path] = file
		if kind := group[filepath.Base(path)]; kind != "" {
			files[kind] = append(files[kind], file)
		}
	}
	infos := map[*ast.File]*types.Info{}
	for _, some := range files {
		info := &types.Info{
			Uses:       map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
			Types:      map[ast.Expr]types.TypeAndValue{},
		}
		config := types.Config{Importer: imp, Error: func(error) {}, FakeImportC: true}
		place, _ := filepath.Rel(filepath.Join(build.Default.GOPATH, "src"), folder)
		_, _ = config.Check(place, fset, some, info)
		for _, file := range some {
			infos[file] = info
		}
	}
	out := json.NewEncoder(os.Stdout)
	for _, path := range paths {
		file := parsed[path]
		if file == nil {
			continue
		}
		info := infos[file]
		name, _ := filepath.Rel(root, path)
		found := File{File: name, Checked: info != nil, Symbols: symbols(file), Calls: []Call{}}
		if info != nil {
			found.Calls = calls(file, info)
		}
		if err := out.Encode(found); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

func symbols(file *ast.File) []Symbol {
	found := []Symbol{}
	add := func(kind string, name *ast.Ident) {
		if name.Name != "_" {
			found = append(found, Symbol{kind, name.Name, fset.Position(name.Pos()).Line})
		}
	}
	specs := func(one *ast.GenDecl, top bool) {
		for _, spec := range one.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add("type", spec.Name)
				fields(spec.Type, add)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if top {
						add("variable", name)
					}
				}
			}
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			add("callable", decl.Name)
			if decl.Body != nil {
				ast.Inspect(decl.Body, func(node ast.Node) bool {
					if inner, ok := node.(*ast.GenDecl); ok && inner.Tok == token.TYPE {
						specs(inner, false)
					}
					return true
				})
			}
		case *ast.GenDecl:
			specs(decl, true)
		}
	}
	return found
}

// fields are those of a named struct, and the methods of a named interface.
func fields(of ast.Expr, add func(string, *ast.Ident)) {
	switch of := of.(type) {
	case *ast.StructType:
		for _, field := range of.Fields.List {
			for _, name := range field.Names {
				add("field", name)
			}
			if name := last(field.Type); len(field.Names) == 0 && name != nil { // embedded
				add("field", name)
			}
		}
	case *ast.InterfaceType:
		for _, method := range of.Methods.List {
			for _, name := range method.Names {
				add("callable", name)
			}
		}
	}
}

func calls(file *ast.File, info *types.Info) []Call {
	found := []Call{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if name := last(node.Fun); name != nil {
				found = append(found, target(name, node.Fun, info))
			}
		case *ast.CompositeLit:
			if name := last(node.Type); name != nil {
				found = append(found, target(name, node.Type, info))
			}
		}
		return true
	})
	return found
}

// last is the name that an expression ends in; nil for one that is no name.
func last(of ast.Expr) *ast.Ident {
	for {
		switch it := of.(type) {
		case *ast.Ident:
			return it
		case *ast.SelectorExpr:
			return it.Sel
		case *ast.ParenExpr:
			of = it.X
		case *ast.StarExpr:
			of = it.X
		case *ast.IndexExpr:
			of = it.X
		case *ast.IndexListExpr:
			of = it.X
		default:
			return nil
		}
	}
}

func target(name *ast.Ident, of ast.Expr, info *types.Info) Call {
	at := fset.Position(name.Pos())
	call := Call{Line: at.Line, Column: at.Column - 1, Kind: "unknown", Name: name.Name}
	object := info.Uses[name]
	if object == nil {
		return call
	}
	if index, ok := of.(*ast.IndexExpr); ok && !info.Types[index].IsType() {
		if _, generic := object.Type().(*types.Signature); !generic {
			call.Kind = "variable" // an element is called
			return call
		}
	}
	switch object := object.(type) {
	case *types.Func:
		call.Kind = "function"
		object = object.Origin()
		signature := object.Type().(*types.Signature)
		if signature.Recv() != nil {
			call.Kind, call.Owner = "method", named(signature.Recv().Type())
		}
		place(&call, object)
	case *types.TypeName:
		call.Kind = "type"
		if _, parameter := object.Type().(*types.TypeParam); parameter {
			call.Kind = "outside"
			return call
		}
		place(&call, object)
	case *types.Builtin:
		call.Kind = "outside"
	case *types.Var:
		call.Kind = "variable"
	}
	return call
}

// place says where an object is declared, if that is below the root.
func place(call *Call, object types.Object) {
	at := fset.Position(object.Pos())
	name, err := filepath.Rel(root, at.Filename)
	if at.Filename == "" || err != nil || strings.HasPrefix(name, "..") {
		call.Kind = "outside"
		return
	}
	call.File, call.At = name, at.Line
}

func named(of types.Type) string {
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if it, ok := of.(*types.Named); ok {
		return it.Obj().Name()
	}
	return ""
}
