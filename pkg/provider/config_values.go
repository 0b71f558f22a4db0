// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"strings"

	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// Lookup finds values of variables: overrides, then flags, then the environment, then the configuration file.
// A variable that is set to nothing is set. Names are compared exactly.
func (c *Config) Lookup(overrides map[string]string) manifest.Lookup {
	return func(name string) (string, bool) {
		if v, ok := overrides[name]; ok {
			return v, true
		}
		if v, ok := c.flags[name]; ok {
			return v, true
		}
		if v, ok := c.lookupEnv(name); ok {
			return v, true
		}
		v, ok := c.variables[name]
		return v.text, ok
	}
}

// SourceOf says where Lookup finds the variable: "flag --x", "environment", "config file PATH:LINE" or "default".
func (c *Config) SourceOf(name string, overrides ...map[string]string) string {
	for _, o := range overrides {
		if _, ok := o[name]; ok {
			return c.flagSource(name)
		}
	}
	if _, ok := c.flags[name]; ok {
		return c.flagSource(name)
	}
	if _, ok := c.lookupEnv(name); ok {
		return "environment"
	}
	if v, ok := c.variables[name]; ok {
		return "config file " + v.origin.String()
	}
	return "default"
}

func (c *Config) flagSource(name string) string {
	if s, ok := c.flagNames[name]; ok {
		return s
	}
	return "flag --" + strings.ToLower(strings.ReplaceAll(name, "_", "-"))
}

// Variables returns the variables that the configuration file sets, exactly as written there.
func (c *Config) Variables() map[string]string {
	out := make(map[string]string, len(c.variables))
	for name, v := range c.variables {
		out[name] = v.text
	}
	return out
}
