// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ConfigSource says where the connection to a server is described.
type ConfigSource struct {
	// Path is one kubeconfig file (--kubeconfig). Empty means: the files of $KUBECONFIG, merged; without that
	// ~/.kube/config; without that, inside a pod, its service account.
	Path string
	// Context is the context to use (--kubeconfig-context); empty means current-context, or the only one there is.
	Context string
	// Getenv reads the environment; nil means that it is empty.
	Getenv func(string) string
}

// Config is a connection's description.
type Config struct {
	// REST is for [New].
	REST *rest.Config
	// Namespace is that of the context, or "default".
	Namespace string
	// Context is the name of the context; empty inside a pod.
	Context string
	// Path is the file that holds the context; empty inside a pod.
	Path string
	// Raw is the whole merged kubeconfig, with absolute paths; nil inside a pod.
	Raw *clientcmdapi.Config
}

// ErrNoConfig says that there is no kubeconfig at all.
var ErrNoConfig = errors.New("no kubeconfig")

// LoadConfig finds and reads the kubeconfig by kubectl's rules: the files of the list are merged, missing ones
// are skipped, relative paths belong to the file that they are in. Errors have class fault.Usage, name the file
// or the context, and list the contexts that there are. There is no fallback to localhost:8080.
func LoadConfig(src ConfigSource) (*Config, error) {
	raw, files, err := loadFiles(src)
	if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	if raw == nil {
		return inCluster(src, files)
	}
	name, err := pickContext(raw, src.Context, files)
	if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	return fromContext(raw, name)
}

// Contexts lists the names of the contexts, sorted, for completion and messages.
func Contexts(src ConfigSource) ([]string, error) {
	raw, _, err := loadFiles(src)
	if err != nil || raw == nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(raw.Contexts)), nil
}

// configFiles lists where to look, and whether somebody named these places.
func configFiles(src ConfigSource) (files []string, named bool) {
	getenv := src.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	if src.Path != "" {
		return []string{src.Path}, true
	}
	if list := getenv(clientcmd.RecommendedConfigPathEnvVar); list != "" {
		for _, f := range filepath.SplitList(list) {
			if f != "" && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
		return files, true
	}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		if home := getenv(variable); home != "" {
			return []string{filepath.Join(home, ".kube", "config")}, false
		}
	}
	return nil, false
}

// loadFiles merges the files that exist; raw is nil where none does.
func loadFiles(src ConfigSource) (raw *clientcmdapi.Config, files []string, err error) {
	files, _ = configFiles(src)
	rules := &clientcmd.ClientConfigLoadingRules{Warner: func(error) {}}
	for _, f := range files {
		switch err := checkFile(f); {
		case errors.Is(err, fs.ErrNotExist) && src.Path == "":
		case err != nil:
			return nil, files, err
		default:
			rules.Precedence = append(rules.Precedence, f)
		}
	}
	if len(rules.Precedence) == 0 {
		return nil, files, nil
	}
	if raw, err = rules.Load(); err != nil {
		return nil, files, fmt.Errorf("read kubeconfig: %w", err)
	}
	return raw, files, nil
}

// checkFile words what client-go would say badly or not at all.
func checkFile(path string) error {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return fault.WithHint(fmt.Errorf("read kubeconfig %s: %w", path, err),
			"check the path; \"clusterctl get kubeconfig NAME\" writes the kubeconfig of a cluster")
	} else if err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	if st.IsDir() {
		return notAKubeconfig("read kubeconfig: %s is a folder", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return notAKubeconfig("read kubeconfig: %s is empty", path)
	}
	if _, err := clientcmd.Load(data); err != nil {
		return notAKubeconfig("read kubeconfig: %s is not a kubeconfig: %s", path, describeParse(err))
	}
	return nil
}

func notAKubeconfig(format string, args ...any) error {
	return fault.WithHint(fmt.Errorf(format, args...), "a kubeconfig is a file of kind Config with clusters, users and contexts; \"clusterctl get kubeconfig NAME\" writes one")
}

// describeParse says what is wrong with a kubeconfig without quoting the parsers: their messages hold parts of the
// file, and so credentials, for example those of two users with one name.
func describeParse(err error) string {
	if line := yamlLine.FindString(err.Error()); line != "" {
		return "it isn't YAML at " + line
	}
	if strings.Contains(err.Error(), "duplicate name") {
		return "two entries of one list have the same name"
	}
	return "it doesn't have the fields of one"
}

var yamlLine = regexp.MustCompile(`\bline \d+\b`)
