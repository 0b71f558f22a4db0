// SPDX-License-Identifier: Apache-2.0

package config

import _ "embed"

//go:embed providers.yaml
var providers string

//go:embed clusterctl.yaml
var example string

// ProvidersName is the name under which faults in [Providers] are shown.
const ProvidersName = "built-in providers.yaml"

// Providers returns the providers known by name and the default cert-manager, in the form of a clusterctl.yaml.
func Providers() []byte { return []byte(providers) }

// Example returns a clusterctl.yaml that explains every key; all of its settings are comments.
func Example() []byte { return []byte(example) }
