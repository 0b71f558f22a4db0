// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"go/ast"
	"strings"
	"testing"
)

// isLibrary says whether others can import a package as a library: everything but the command line.
func isLibrary(dir string) bool {
	return dir != "cmd/clusterctl" && dir != "pkg/cli" && !strings.HasPrefix(dir, "pkg/cmd")
}

// forbiddenImports are kept out of libraries: they are for command lines, or have global state.
func forbiddenImports() []string {
	return []string{
		"github.com/spf13/", "github.com/olekukonko/", "k8s.io/cli-runtime", "k8s.io/kubectl", "flag",
	}
}

// allowedImports are the exceptions, with the package that they are for.
func allowedImports() map[string]string {
	return map[string]string{"github.com/olekukonko/": "pkg/ui"}
}

// forbiddenUses are what a library must leave to its caller: the process, its streams, its environment.
func forbiddenUses() map[string][]string {
	return map[string][]string{
		"os":     {"Exit", "Stdin", "Stdout", "Stderr", "Args", "Getenv", "LookupEnv", "Environ", "Setenv", "Unsetenv", "ExpandEnv"},
		"fmt":    {"Print", "Printf", "Println"},
		"log":    {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "SetOutput"},
		"signal": {"Notify", "NotifyContext", "Ignore"},
	}
}

// allowedUses are the exceptions: who may use what, and why.
func allowedUses() map[string]string {
	return map[string]string{
		"pkg/bootstrap/local signal.Notify": "the supervisor is a process of its own",
		"pkg/bootstrap/local os.Args":       "the supervisor is a process of its own",
	}
}

func TestLibrariesLeaveTheProcessAlone(t *testing.T) {
	for _, f := range files(t) {
		if !isLibrary(f.dir()) {
			continue
		}
		for _, imp := range f.ast.Imports {
			checkImport(t, f, imp)
		}
		owner, _, _ := strings.Cut(f.dir(), "/internal")
		forEachUse(f, func(n ast.Node, pkg, name string) {
			if contains(forbiddenUses()[pkg], name) && allowedUses()[owner+" "+pkg+"."+name] == "" {
				t.Errorf("%s: %s uses %s.%s: a library leaves that to its caller", f.at(n), f.dir(), pkg, name)
			}
		})
	}
}

func checkImport(t *testing.T, f file, imp *ast.ImportSpec) {
	t.Helper()
	name := strings.Trim(imp.Path.Value, "`\"")
	for _, bad := range forbiddenImports() {
		hit := name == bad || strings.HasSuffix(bad, "/") && strings.HasPrefix(name, bad) || strings.HasPrefix(name, bad+"/") && strings.Contains(bad, ".")
		if hit && allowedImports()[bad] != f.dir() {
			t.Errorf("%s: %s imports %s, which is for command lines", f.at(imp), f.dir(), name)
		}
	}
}

// forEachUse calls visit for each pkg.Name in a file where pkg is an imported package, by its own name.
func forEachUse(f file, visit func(n ast.Node, pkg, name string)) {
	imported := map[string]string{}
	for _, imp := range f.ast.Imports {
		p := strings.Trim(imp.Path.Value, "`\"")
		base := p[strings.LastIndex(p, "/")+1:]
		local := base
		if imp.Name != nil {
			local = imp.Name.Name
		}
		if p == "os" || p == "fmt" || p == "os/signal" || p == "log" || p == "context" {
			imported[local] = base
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && imported[x.Name] != "" {
			visit(n, imported[x.Name], sel.Sel.Name)
		}
		return true
	})
}

// The one place that ends the process is pkg/cli, for the second Ctrl-C, and main.
func TestOnlyTheProgramExits(t *testing.T) {
	for _, f := range files(t) {
		if f.dir() == "cmd/clusterctl" || f.dir() == "pkg/cli" {
			continue
		}
		forEachUse(f, func(n ast.Node, pkg, name string) {
			if pkg == "os" && name == "Exit" {
				t.Errorf("%s: return an error instead of os.Exit", f.at(n))
			}
		})
	}
}

// ownContexts are packages that may make a context, with why.
func ownContexts() map[string]string {
	return map[string]string{
		"cmd/clusterctl":      "the first one",
		"pkg/bootstrap/local": "bootstrap.Cluster.Prepare gets none: it only rewrites objects, and bounds its look at the ports itself",
	}
}

// A context comes from the caller, so that Ctrl-C reaches everything.
func TestContextsComeFromTheCaller(t *testing.T) {
	for _, f := range files(t) {
		if ownContexts()[f.dir()] != "" {
			continue
		}
		forEachUse(f, func(n ast.Node, pkg, name string) {
			if pkg == "context" && (name == "Background" || name == "TODO") {
				t.Errorf("%s: context.%s cuts the caller's context off; use context.WithoutCancel where that is wanted", f.at(n), name)
			}
		})
	}
}
