// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is where a file has more than one idea in it.
const maxLines = 350

func TestFilesAreSmallAndLicensed(t *testing.T) {
	for _, f := range files(t) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "// SPDX-License-Identifier: Apache-2.0\n") {
			t.Errorf("%s does not begin with its licence", f.path)
		}
		if n := strings.Count(string(text), "\n"); n > maxLines {
			t.Errorf("%s has %d lines, more than %d: one idea a file", f.path, n, maxLines)
		}
	}
	main := filepath.Join(root, "cmd", "clusterctl", "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 25 {
		t.Errorf("main.go has %d lines: it only calls cli.Main", n)
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	documented, seen := map[string]bool{}, map[string]bool{}
	for _, f := range files(t) {
		seen[f.dir()] = true
		if f.ast.Doc != nil {
			documented[f.dir()] = true
		}
	}
	for dir := range seen {
		if !documented[dir] {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, f := range files(t) {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s: %s has no comment", f.at(d), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					checkSpec(t, f, d, s)
				}
			}
		}
	}
}

func checkSpec(t *testing.T, f file, d *ast.GenDecl, s ast.Spec) {
	t.Helper()
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
			t.Errorf("%s: %s has no comment", f.at(s), s.Name.Name)
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				t.Errorf("%s: %s has no comment", f.at(s), n.Name)
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	expr := d.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if index, ok := expr.(*ast.IndexExpr); ok {
		expr = index.X
	}
	id, ok := expr.(*ast.Ident)
	return ok && id.IsExported()
}

// Package state makes two runs in one process see each other. Values that never change are fine.
func TestNoInitAndNoMutableGlobals(t *testing.T) {
	for _, f := range files(t) {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: no init functions", f.at(d))
				}
			case *ast.GenDecl:
				if d.Tok.String() != "var" {
					continue
				}
				for _, s := range d.Specs {
					if v := s.(*ast.ValueSpec); !constantValue(f, v) {
						t.Errorf("%s: package variable %s: pass it, or make it a function", f.at(v), v.Names[0].Name)
					}
				}
			}
		}
	}
}
