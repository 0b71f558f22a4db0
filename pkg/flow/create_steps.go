// SPDX-License-Identifier: Apache-2.0

package flow

// The names of the steps of create, in their order.
const (
	StepPreflight          = "preflight"
	StepBootstrap          = "bootstrap"
	StepProviders          = "providers"
	StepCluster            = "cluster"
	StepWaitInfrastructure = "wait-infrastructure"
	StepWaitControlPlane   = "wait-control-plane"
	StepKubeconfig         = "kubeconfig"
	StepAddons             = "addons"
	StepPivotProviders     = "pivot-providers"
	StepWaitNodes          = "wait-nodes"
	StepWaitAvailable      = "wait-available"
	StepPivot              = "pivot"
	StepPivotBootstrap     = "pivot-bootstrap"
	StepMachines           = "machines"
	StepSummary            = "summary"
)

// CreateSteps describes the steps of create in their order.
//
// The cluster's Available condition is waited for after the addons: with a CNI among them no node, and so no
// Machine and no Cluster, becomes available before. The providers for the pivot are installed while machines still come up.
func CreateSteps() []Info {
	return []Info{
		{StepPreflight, "Check inputs, providers, rights and this host; change nothing"},
		{StepBootstrap, "Make the bootstrap cluster, or bring it back"},
		{StepProviders, "Install the Cluster API providers and wait until they serve"},
		{StepCluster, "Create the cluster's objects"},
		{StepWaitInfrastructure, "Wait until the cluster's infrastructure is there"},
		{StepWaitControlPlane, "Wait until the control plane is initialised"},
		{StepKubeconfig, "Write the cluster's kubeconfig"},
		{StepAddons, "Apply the addons to the cluster"},
		{StepPivotProviders, "Install the providers in the cluster itself, to be started by the pivot"},
		{StepWaitNodes, "Wait until every Machine has a ready Node"},
		{StepWaitAvailable, "Wait until the cluster is available"},
		{StepPivot, "Move the cluster's objects into the cluster itself"},
		{StepPivotBootstrap, "Delete the bootstrap cluster"},
		{StepMachines, "Create the machines that waited for the pivot (v0.2 files)"},
		{StepSummary, "Say what there is now and how to go on"},
	}
}

// needsBootstrap says whether a step works with the bootstrap cluster, without making or deleting it.
func needsBootstrap(step string) bool {
	switch step {
	case StepPreflight, StepBootstrap, StepPivotBootstrap, StepMachines, StepSummary:
		return false
	}
	return true
}

// steps gives the steps with what they do, in the order of CreateSteps.
func (c *Create) steps() []Step {
	do := map[string]Step{
		StepPreflight:          {Run: c.preflight, Skip: c.skipPivoting},
		StepBootstrap:          {Run: c.ensureBootstrap, Skip: c.skipBootstrapStep},
		StepProviders:          {Run: c.installProviders, Skip: c.skipProviders},
		StepCluster:            {Run: c.applyCluster, Skip: c.skipPivoting},
		StepWaitInfrastructure: {Run: c.waitInfrastructure, Skip: c.skipPivoting},
		StepWaitControlPlane:   {Run: c.waitControlPlane, Skip: c.skipPivoting},
		StepKubeconfig:         {Run: c.writeKubeconfig, Skip: c.skipPivoting},
		StepAddons:             {Run: c.applyAddons, Skip: c.skipAddons},
		StepPivotProviders:     {Run: c.pivotProviders, Skip: c.skipPivotProviders},
		StepWaitNodes:          {Run: c.waitNodes, Skip: c.skipPivoting},
		StepWaitAvailable:      {Run: c.waitAvailable, Skip: c.skipPivoting},
		StepPivot:              {Run: c.pivot, Skip: c.skipPivot},
		StepPivotBootstrap:     {Run: c.pivotBootstrap, Skip: c.skipPivotBootstrap},
		StepMachines:           {Run: c.addMachines, Skip: c.skipMachines},
		StepSummary:            {Run: c.summarise},
	}
	var out []Step
	for _, info := range CreateSteps() {
		s := do[info.Name]
		s.Info = info
		if needsBootstrap(info.Name) {
			s = c.keptUp(s)
		}
		out = append(out, s)
	}
	return out
}
