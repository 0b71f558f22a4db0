// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"slices"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// over lays what was given now over what an earlier run of the same name recorded: a flag that wasn't given keeps its
// value of then, so that `create cluster NAME --worker-machine-count 3` changes that one thing. Another way to describe
// the cluster takes the place of the recorded one, whole.
func (in Inputs) over(old Inputs) Inputs {
	out := old
	switch in.source() {
	case FromTemplate:
		if in.hasInfrastructure() {
			out.Files, out.ClusterFile, out.MachinesFile = nil, "", ""
		}
	case FromFiles:
		out = out.withoutTemplate()
		out.ClusterFile, out.MachinesFile = "", ""
	case FromLegacy:
		out = out.withoutTemplate()
		out.Files = nil
	case FromBackup:
		out = out.withoutTemplate()
		out.Files, out.ClusterFile, out.MachinesFile = nil, "", ""
	}
	if in.source() != "" {
		out.Backup = ""
	}
	if in.WebhookCerts != "" {
		out.WebhookCerts = in.WebhookCerts
	}
	for _, f := range []struct {
		to   *string
		from string
	}{
		{&out.Infrastructure, in.Infrastructure},
		{&out.Core, in.Core},
		{&out.Flavor, in.Flavor},
		{&out.KubernetesVersion, in.KubernetesVersion},
		{&out.ClusterFile, in.ClusterFile},
		{&out.MachinesFile, in.MachinesFile},
		{&out.ProviderComponents, in.ProviderComponents},
		{&out.BootstrapOnlyComponents, in.BootstrapOnlyComponents},
		{&out.KubeconfigOut, in.KubeconfigOut},
		{&out.Backup, in.Backup},
	} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	for _, f := range []struct {
		to   *[]string
		from []string
	}{
		{&out.BootstrapProviders, in.BootstrapProviders},
		{&out.ControlPlanes, in.ControlPlanes},
		{&out.IPAMs, in.IPAMs},
		{&out.RuntimeExtensions, in.RuntimeExtensions},
		{&out.Addons, in.Addons},
		{&out.Files, in.Files},
		{&out.AddonFiles, in.AddonFiles},
	} {
		if len(f.from) > 0 {
			*f.to = f.from
		}
	}
	if in.ControlPlaneMachineCount != nil {
		out.ControlPlaneMachineCount = in.ControlPlaneMachineCount
	}
	if in.Pivot != nil {
		out.Pivot = in.Pivot
	}
	out.KeepBootstrap, out.KeepProviders = out.KeepBootstrap || in.KeepBootstrap, out.KeepProviders || in.KeepProviders
	if in.WorkerMachineCount != nil {
		out.WorkerMachineCount = in.WorkerMachineCount
	}
	return out
}

// source is the way of describing a cluster that the flags ask for, empty for none. Unlike Mode it takes flags that only
// make sense together with recorded ones.
func (in Inputs) source() Mode {
	switch {
	case len(in.Files) > 0:
		return FromFiles
	case in.ClusterFile != "" || in.MachinesFile != "":
		return FromLegacy
	case in.Backup != "":
		return FromBackup
	case in.Flavor != "" || in.ControlPlaneMachineCount != nil || in.WorkerMachineCount != nil:
		return FromTemplate
	}
	return ""
}

func (in Inputs) withoutTemplate() Inputs {
	in.Flavor, in.KubernetesVersion, in.ControlPlaneMachineCount, in.WorkerMachineCount = "", "", nil, nil
	return in
}

// sameDescription says whether a cluster is described by the same template or the same files, whatever their values.
func (in Inputs) sameDescription(other Inputs) bool {
	return in.Infrastructure == other.Infrastructure && in.Flavor == other.Flavor && slices.Equal(in.Files, other.Files) &&
		in.ClusterFile == other.ClusterFile && in.MachinesFile == other.MachinesFile && in.Backup == other.Backup
}

// merge makes the inputs of a run out of those that were given and those of the record.
func (c *Create) merge(given Inputs) error {
	old := c.record.Inputs
	in := given.over(old)
	if err := in.explainMix(given, c.key().String()); err != nil {
		return err
	}
	if err := in.checkStdinAgain(given, c.key().String()); err != nil {
		return err
	}
	names := maps.Clone(c.opts.Set)
	if names == nil {
		names = map[string]string{}
	}
	if in.sameDescription(old) { // it needs the values that it needed then
		for _, name := range c.record.Variables {
			names[name] = ""
		}
	}
	c.record.Inputs, c.record.Variables = in, slices.Sorted(maps.Keys(names))
	return nil
}

// explainMix refuses template values for a cluster that an earlier run made from files.
func (in Inputs) explainMix(given Inputs, cluster string) error {
	if given.source() != FromTemplate || given.hasInfrastructure() || in.withoutTemplate().source() == "" {
		return nil
	}
	return fault.WithHint(fault.Usagef("cluster %s was made from files: --flavor and machine counts are values of templates", cluster),
		"change the files, or the variables in them with --set")
}

// checkStdinAgain refuses to read what an earlier run read from standard input, unless it was asked to once more.
func (in Inputs) checkStdinAgain(given Inputs, cluster string) error {
	if in.stdin() == 0 || given.stdin() > 0 {
		return nil
	}
	return fault.WithHint(fault.Usagef("an earlier run read files of cluster %s from standard input, which isn't kept", cluster),
		"give them again, with the same flags")
}

// stdin counts how often standard input is named.
func (in Inputs) stdin() int {
	n := 0
	for _, f := range slices.Concat(in.Files, in.AddonFiles, []string{in.ClusterFile, in.MachinesFile, in.ProviderComponents, in.BootstrapOnlyComponents}) {
		if f == "-" {
			n++
		}
	}
	return n
}
