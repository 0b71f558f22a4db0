// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	embedded "github.com/clusterctl/clusterctl/config"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

const (
	configFile        = "clusterctl.yaml"
	overridesDir      = "overrides"
	legacyDir         = ".cluster-api"
	certManagerWait   = 10 * time.Minute
	configReadTimeout = 30 * time.Second
)

// LoadOptions say where the configuration comes from.
type LoadOptions struct {
	// Path is a file or an http(s) URL; empty means the default places, where a missing file is fine.
	Path string
	Dirs paths.Dirs
	// Getenv reads the environment; a variable that is set to nothing counts as not set unless LookupEnv is given.
	Getenv func(string) string
	// LookupEnv reads the environment and knows the difference between empty and not set; it is preferred to Getenv.
	LookupEnv func(string) (string, bool)
	// Flags are values of variables that come from command-line flags.
	Flags map[string]string
	// FlagNames says how the source of a flag's variable is called; without an entry it is "flag --variable-name".
	FlagNames map[string]string
	// Client sends the requests; nil means one with this package's timeouts that honours the proxy environment.
	Client *http.Client
}

// LoadConfig reads the built-in providers and the user's configuration. It returns warnings, each with its place, that
// a person should see. The error lists all faults of the file, each with its line, and is of class Usage.
func LoadConfig(ctx context.Context, opts LoadOptions) (*Config, []string, error) {
	c := newConfig(opts)
	builtin := &decoder{cfg: c, file: embedded.ProvidersName, builtin: true}
	if err := builtin.decode(embedded.Providers()); err != nil {
		return nil, nil, err
	}
	text, err := c.read(ctx, opts.Path)
	if err != nil {
		return nil, nil, err
	}
	user := &decoder{cfg: c, file: c.Path, base: configBase(c.Path)}
	if err := user.decode(text); err != nil {
		return nil, nil, err
	}
	c.sort()
	user.checkImageKeys()
	return c, user.warnings, nil
}

func newConfig(opts LoadOptions) *Config {
	c := &Config{
		CertManager:     CertManager{Timeout: certManagerWait},
		OverridesFolder: defaultOverrides(opts.Dirs),
		images:          map[string]ImageOverride{},
		variables:       map[string]value{},
		flags:           opts.Flags,
		flagNames:       opts.FlagNames,
		lookupEnv:       opts.LookupEnv,
		dirs:            opts.Dirs,
		client:          opts.Client,
	}
	if c.lookupEnv == nil {
		c.lookupEnv = func(name string) (string, bool) {
			if opts.Getenv == nil {
				return "", false
			}
			v := opts.Getenv(name)
			return v, v != ""
		}
	}
	if c.client == nil {
		c.client = newHTTPClient()
	}
	return c
}

// read finds the user's file and sets c.Path; without one the text is empty.
func (c *Config) read(ctx context.Context, path string) ([]byte, error) {
	if isRemote(path) {
		ctx, cancel := context.WithTimeout(ctx, configReadTimeout)
		defer cancel()
		c.Path = shownString(path)
		text, err := (&fetcher{client: c.client}).get(ctx, path)
		if err != nil {
			return nil, fault.WithCode(fault.Usage, fmt.Errorf("read configuration: %w", err))
		}
		return text, nil
	}
	if path != "" {
		c.Path = path
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fault.WithHint(fault.Usagef("read configuration: %w", err), "check the path given with --config")
		}
		return text, nil
	}
	for _, p := range defaultPaths(c.dirs) {
		text, err := os.ReadFile(p)
		if err == nil {
			c.Path = p
			return text, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fault.WithHint(fault.Usagef("read configuration: %w", err), "make the file readable, or take another one with --config")
		}
	}
	return nil, nil
}

func defaultPaths(dirs paths.Dirs) []string {
	var out []string
	if dirs.Config != "" {
		out = append(out, filepath.Join(dirs.Config, configFile))
	}
	if dirs.Home != "" {
		out = append(out, filepath.Join(dirs.Home, legacyDir, configFile))
	}
	return out
}

// defaultOverrides is the folder next to the default configuration; the old place in the home directory counts only if it is the one that exists.
func defaultOverrides(dirs paths.Dirs) string {
	folder := ""
	if dirs.Config != "" {
		folder = filepath.Join(dirs.Config, overridesDir)
	}
	if _, err := os.Stat(folder); err == nil || dirs.Home == "" {
		return folder
	}
	legacy := filepath.Join(dirs.Home, legacyDir, overridesDir)
	if _, err := os.Stat(legacy); err == nil {
		return legacy
	}
	return folder
}

// configBase is the folder that relative paths in the file start from; empty for a URL.
func configBase(path string) string {
	if path == "" || isRemote(path) {
		return ""
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return filepath.Dir(abs)
}
