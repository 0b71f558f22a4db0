// SPDX-License-Identifier: Apache-2.0

// Package house_test holds the architecture: which package may import which, and what is kept out of libraries.
package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// file is one Go file that belongs to the product.
type file struct {
	path string // from the root of the module, with slashes
	set  *token.FileSet
	ast  *ast.File
}

// dir is the file's package directory, for example pkg/cmd/get.
func (f file) dir() string { return path.Dir(f.path) }

// at is where a node is, for messages.
func (f file) at(n ast.Node) string {
	p := f.set.Position(n.Pos())
	return f.path + ":" + itoa(p.Line)
}

const root = "../.."

// files parses the product's Go files: all of pkg, cmd and config that are not tests.
func files(t *testing.T) []file {
	t.Helper()
	var out []file
	for _, top := range []string{"pkg", "cmd", "config"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, name)
			out = append(out, file{filepath.ToSlash(rel), set, parsed})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(out) < 20 {
		t.Fatalf("only %d files found: is the test in its place?", len(out))
	}
	return out
}
