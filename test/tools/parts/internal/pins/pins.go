// SPDX-License-Identifier: Apache-2.0

// Package pins finds the tool modules next to this one and reads the versions
// that their go.mod files pin, so that each version is written down only once.
package pins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// The tool modules, as folders.
const (
	Kubernetes  = "kubernetes"
	Etcd        = "etcd"
	CAPI        = "capi"
	Parts       = "parts"
	Node        = "node"
	CoreDNS     = "coredns"
	CertManager = "certmanager"
)

// Tools is the folder that holds the tool modules.
type Tools string

// Locate finds the tools folder: the flag's value, else the nearest parent of
// dir that is one or holds test/tools.
func Locate(flag, dir string) (Tools, error) {
	if flag != "" {
		abs, err := filepath.Abs(flag)
		if err == nil && !isTools(abs) {
			err = fmt.Errorf("no tool modules in %s", abs)
		}
		return Tools(abs), err
	}
	for {
		for _, candidate := range []string{dir, filepath.Join(dir, "test", "tools")} {
			if isTools(candidate) {
				return Tools(candidate), nil
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("find the tool modules: run inside the source tree or give --tools DIR")
		}
		dir = parent
	}
}

func isTools(dir string) bool {
	for _, module := range []string{Kubernetes, Etcd, CAPI} {
		if _, err := os.Stat(filepath.Join(dir, module, "go.mod")); err != nil {
			return false
		}
	}
	return true
}

// Module is the folder of one tool module.
func (t Tools) Module(name string) string { return filepath.Join(string(t), name) }

// Version is the version of the module path that a tool module requires.
func (t Tools) Version(module, path string) (string, error) {
	file := filepath.Join(t.Module(module), "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	mod, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return "", err
	}
	for _, require := range mod.Require {
		if require.Mod.Path == path {
			return require.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s doesn't require %s", file, path)
}

// Sources is the content of a tool module's files that decide what is built
// from it: go.mod, go.sum and, where programs are built from Go files of its own, those.
func (t Tools) Sources(module string) (string, error) {
	dir := t.Module(module)
	files := []string{filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum")}
	switch module {
	case Etcd, CoreDNS, Node, CertManager:
		for _, pattern := range []string{"*.go", "*/*.go"} {
			own, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return "", err
			}
			files = append(files, own...)
		}
	}
	var all []byte
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		all = append(all, data...)
	}
	return string(all), nil
}
