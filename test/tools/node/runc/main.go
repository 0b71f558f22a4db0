// SPDX-License-Identifier: Apache-2.0

// Command runc stands before the real runc on machines that lack the
// capability CAP_SYS_RESOURCE: it takes this one out of what a container asks
// for, and leaves the rest to the real runc, which would otherwise refuse every
// privileged container. It gives nothing to anybody.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// missing is the capability that is taken out.
const missing = "CAP_SYS_RESOURCE"

func main() {
	if file := specification(os.Args[1:]); file != "" {
		if err := rewrite(file); err != nil {
			fmt.Fprintln(os.Stderr, "runc: take "+missing+" out of what the container asks for:", err)
			os.Exit(1)
		}
	}
	real, err := realRunc()
	if err == nil {
		err = syscall.Exec(real, os.Args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "runc:", err)
	os.Exit(1)
}

// specification is the file that says what the container, or the process in
// it, may do. It is empty for commands that start nothing.
func specification(args []string) string {
	flag := func(long, short string) string {
		for i, arg := range args {
			for _, name := range []string{long, short} {
				if arg == name && i+1 < len(args) {
					return args[i+1]
				}
				if value, ok := strings.CutPrefix(arg, name+"="); ok {
					return value
				}
			}
		}
		return ""
	}
	switch {
	case slices.Contains(args, "create"), slices.Contains(args, "run"):
		return filepath.Join(flag("--bundle", "-b"), "config.json")
	case slices.Contains(args, "exec"):
		return flag("--process", "-p")
	}
	return ""
}

func rewrite(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := without(data)
	if err != nil || changed == nil {
		return err
	}
	return os.WriteFile(file, changed, 0o600)
}

// without returns a specification without the capability, or nil where it
// doesn't ask for it.
func without(data []byte) ([]byte, error) {
	var spec map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber() // Limits are larger than what a float64 holds exactly.
	if err := decoder.Decode(&spec); err != nil {
		return nil, err
	}
	process := spec
	if inner, ok := spec["process"].(map[string]any); ok {
		process = inner
	}
	sets, _ := process["capabilities"].(map[string]any)
	found := false
	for name, value := range sets {
		list, _ := value.([]any)
		kept := slices.DeleteFunc(slices.Clone(list), func(item any) bool { return item == missing })
		if len(kept) != len(list) {
			sets[name], found = kept, true
		}
	}
	if !found {
		return nil, nil
	}
	return json.Marshal(spec)
}

// realRunc is the next runc in PATH that isn't this program.
func realRunc() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	own, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, "runc")
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && !os.SameFile(info, own) {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}
