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
	StepWaitNodes          = "wait-nodes"
	StepWaitAvailable      = "wait-available"
	StepPivot              = "pivot"
	StepSummary            = "summary"
)

// CreateSteps describes the steps of create in their order.
//
// The cluster's Available condition is waited for after the addons: with a CNI among them no node, and so no
// Machine and no Cluster, becomes available before.
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
		{StepWaitNodes, "Wait until every Machine has a ready Node"},
		{StepWaitAvailable, "Wait until the cluster is available"},
		{StepPivot, "Move the cluster's objects into the cluster itself"},
		{StepSummary, "Say what there is now and how to go on"},
	}
}

// steps gives the steps with what they do, in the order of CreateSteps.
func (c *Create) steps() []Step {
	do := map[string]Step{
		StepPreflight:          {Run: c.preflight},
		StepBootstrap:          {Run: c.ensureBootstrap},
		StepProviders:          {Run: c.installProviders},
		StepCluster:            {Run: c.applyCluster},
		StepWaitInfrastructure: {Run: c.waitInfrastructure},
		StepWaitControlPlane:   {Run: c.waitControlPlane},
		StepKubeconfig:         {Run: c.writeKubeconfig},
		StepAddons:             {Run: c.applyAddons, Skip: c.skipAddons},
		StepWaitNodes:          {Run: c.waitNodes},
		StepWaitAvailable:      {Run: c.waitAvailable},
		StepPivot:              {Skip: skipPivot},
		StepSummary:            {Run: c.summarise},
	}
	var out []Step
	for _, info := range CreateSteps() {
		s := do[info.Name]
		s.Info = info
		out = append(out, s)
	}
	return out
}

// skipPivot holds the pivot's place. The command line refuses to ask for one.
func skipPivot() string {
	return "not asked for, the bootstrap cluster keeps managing the cluster"
}
