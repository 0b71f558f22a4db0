// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"strconv"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// DefaultKubernetesVersion is the version of a workload cluster for which nobody named one: the one that this
// program is tested with.
const DefaultKubernetesVersion = "v1.34.4"

// lookup finds the values of variables: what the command line says, then environment and configuration,
// then the defaults that a template may rely on.
func (c *Create) lookup() manifest.Lookup {
	configured := c.host.Config.Lookup(c.flagValues())
	defaults := map[string]string{
		"KUBERNETES_VERSION":          DefaultKubernetesVersion,
		"CONTROL_PLANE_MACHINE_COUNT": "1",
		"WORKER_MACHINE_COUNT":        "0",
	}
	return c.asked.Lookup(func(name string) (string, bool) {
		if v, ok := configured(name); ok {
			return v, true
		}
		v, ok := defaults[name]
		return v, ok
	})
}

// warnUnused says of values of --set that nothing uses them: what is spelt wrongly would else leave a default in force, silently.
func (c *Create) warnUnused(p *plan) {
	if want, _ := c.wantsPivot(); want && len(p.components) == 0 {
		return // The pivot renders with them the components of what is installed.
	}
	for _, name := range c.asked.Unused(c.opts.Set) {
		event.Warnf(c.host.Sink, "--set %s: nothing uses a variable of this name", name)
	}
}

// flagValues are the variables that the command line sets.
func (c *Create) flagValues() map[string]string {
	in := c.record.Inputs
	out := maps.Clone(c.opts.Set)
	if out == nil {
		out = map[string]string{}
	}
	for name, v := range map[string]string{"CLUSTER_NAME": c.record.Name, "NAMESPACE": c.record.Namespace} {
		if v != "" {
			out[name] = v
		}
	}
	if in.KubernetesVersion != "" {
		out["KUBERNETES_VERSION"] = in.KubernetesVersion
	}
	if in.ControlPlaneMachineCount != nil {
		out["CONTROL_PLANE_MACHINE_COUNT"] = strconv.FormatInt(*in.ControlPlaneMachineCount, 10)
	}
	if in.WorkerMachineCount != nil {
		out["WORKER_MACHINE_COUNT"] = strconv.FormatInt(*in.WorkerMachineCount, 10)
	}
	return out
}

// componentLookup is lookup for the providers' components. A cluster with a topology needs the ClusterTopology
// feature, which the providers' YAML leaves off: where nobody decided, it is on for such a cluster.
func (c *Create) componentLookup(p *plan) manifest.Lookup {
	next := c.lookup()
	return func(name string) (string, bool) {
		v, ok := next(name)
		if !ok && name == clusterTopology && p.usesTopology() {
			return "true", true
		}
		return v, ok
	}
}

// checkVariables refuses to go on without the values that an earlier run got with --set: without them the cluster would be
// made, or changed, into another one.
func (c *Create) checkVariables() error {
	value := c.host.Config.Lookup(c.opts.Set)
	var missing, flags []string
	for _, name := range c.record.Variables {
		if _, ok := value(name); !ok {
			missing, flags = append(missing, name), append(flags, "--set "+name+"=…")
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.WithHint(fault.Usagef("an earlier run for cluster %s got a value for %s with --set; values aren't kept, they may be secret", c.key(), strings.Join(missing, ", ")),
		"give them again: %s", strings.Join(flags, " "))
}
