// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// envPrefix begins the environment variable of each global flag.
const envPrefix = "CLUSTERCTL_"

// addGlobalFlags adds the flags of every command.
func addGlobalFlags(root *cobra.Command, g *cmdutil.Global) {
	flags := root.PersistentFlags()
	flags.StringVar(&g.Config, "config", "", "file or URL of clusterctl.yaml (default: clusterctl.yaml in the configuration directory)")
	flags.VarP((*verbosity)(&g.Verbosity), "verbosity", "v", "how much the log tells, 0 to 10; 4 and more: requests to API servers")
	cmdutil.PersistentEnumVar(root, &g.LogFormat, "log-format", "", "text", []string{"text", "json"}, "format of logs and errors")
	cmdutil.PersistentEnumVar(root, &g.Progress, "progress", "", ui.ProgressAuto, ui.ProgressModes(), "how progress is shown")
	cmdutil.PersistentEnumVar(root, &g.Color, "color", "", ui.ColorAuto, ui.ColorModes(), "when colours are used")
}

// applyEnvironment sets global flags that were not given from their environment variables, with the flag's own checks.
func applyEnvironment(flags *pflag.FlagSet, getenv func(string) string) error {
	v := viper.New()
	env := map[string]any{}
	flags.VisitAll(func(f *pflag.Flag) {
		if value := getenv(envName(f.Name)); value != "" {
			env[f.Name] = value
		}
	})
	if err := errors.Join(v.BindPFlags(flags), v.MergeConfigMap(env)); err != nil {
		return fmt.Errorf("read environment: %w", err)
	}
	var faults fault.List
	flags.VisitAll(func(f *pflag.Flag) {
		value := v.GetString(f.Name)
		if f.Changed || value == f.Value.String() {
			return
		}
		if err := f.Value.Set(value); err != nil {
			faults.Add(fault.Usagef("environment variable %s=%q: %w", envName(f.Name), value, err))
		}
	})
	return faults.Err()
}

// envName is the environment variable of a global flag.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// verbosity is a number from 0 to 10.
type verbosity int

func (v *verbosity) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 10 {
		return errors.New("must be a whole number from 0 to 10")
	}
	*v = verbosity(n)
	return nil
}

func (v *verbosity) String() string { return strconv.Itoa(int(*v)) }

func (v *verbosity) Type() string { return "level" }
