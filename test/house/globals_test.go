// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"go/ast"
	"strings"
)

// allowedGlobals are package variables that something else sets, with why.
func allowedGlobals() map[string]string {
	return map[string]string{
		"pkg/version": "the linker sets them",
		"config":      "go:embed fills them",
	}
}

// constantValue says whether a package variable never changes: errors, compiled expressions, lazily computed
// values, lists of a fixed content that are read only, and checks that a type implements an interface.
func constantValue(f file, v *ast.ValueSpec) bool {
	if v.Names[0].Name == "_" || allowedGlobals()[f.dir()] != "" {
		return true
	}
	if len(v.Values) == 0 {
		return false
	}
	switch value := v.Values[0].(type) {
	case *ast.CallExpr:
		name := callName(value)
		for _, ok := range []string{"errors.New", "fmt.Errorf", "regexp.MustCompile", "sync.OnceValue", "sync.OnceValues", "strings.NewReplacer"} {
			if name == ok {
				return true
			}
		}
		return strings.HasPrefix(name, "schema.")
	case *ast.CompositeLit:
		return true
	case *ast.SelectorExpr: // an error of another package under a name of ours
		return strings.HasPrefix(value.Sel.Name, "Err")
	}
	return false
}

func callName(c *ast.CallExpr) string {
	fun := c.Fun
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return x.Name + "." + sel.Sel.Name
}
