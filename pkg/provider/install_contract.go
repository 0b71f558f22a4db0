// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// compatible lists the contracts of providers that work with a core provider. v1beta2 accepts v1beta1 until that is
// retired (https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview).
func compatible(core string) []string {
	if core == "v1beta2" {
		return []string{"v1beta2", "v1beta1"}
	}
	return []string{core}
}

// checkContracts holds the providers' contracts against that of the core provider, the one that comes along or the
// installed one. A contract that isn't known is warned about, not refused.
func (i *installer) checkContracts(ctx context.Context, comps []*Components, installed []InstalledProvider) error {
	core, err := i.coreContract(ctx, comps, installed)
	if err != nil {
		return err
	}
	var faults fault.List
	for _, c := range comps {
		if c.Entry.Type == CoreProvider {
			continue
		}
		contract, err := i.contractOf(ctx, c)
		faults.Add(err)
		if contract != "" && core != "" && !slices.Contains(compatible(core), contract) {
			faults.Add(fault.WithHint(fault.Refusedf("%s %s is made for the %s contract; the core provider works with %s", c.Label(), c.Version, contract, strings.Join(compatible(core), " and ")),
				"choose a version of %s that is made for it", c.Entry.Name))
		}
	}
	return faults.Err()
}

func (i *installer) contractOf(ctx context.Context, c *Components) (string, error) {
	contract, err := c.release.Contract(ctx)
	if errors.Is(err, ErrNotFound) {
		event.Warnf(i.opts.Sink, "%s %s has no %s: its contract isn't known and can't be checked", c.Label(), c.Version, metadataFile)
		return "", nil
	}
	return contract, err
}

func (i *installer) coreContract(ctx context.Context, comps []*Components, installed []InstalledProvider) (string, error) {
	for _, c := range comps {
		if c.Entry.Type == CoreProvider {
			return i.contractOf(ctx, c)
		}
	}
	if !slices.ContainsFunc(installed, func(p InstalledProvider) bool { return p.Type == CoreProvider }) {
		return "", fault.WithHint(fault.Refusedf("the cluster has no core provider, and none is asked for"), "add --%s %s", CoreProvider.Flag(), CoreName)
	}
	crd, err := i.kube.Get(ctx, crdGVK(), "", "clusters."+capi.GroupCore)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return newestContract(crd.GetLabels()), nil
}

// newestContract reads the contracts that a CRD fulfils off its labels "cluster.x-k8s.io/<contract>".
func newestContract(labels map[string]string) string {
	best := ""
	for l := range labels {
		v, ok := strings.CutPrefix(l, capi.GroupCore+"/")
		if ok && strings.HasPrefix(v, "v") && (best == "" || version.CompareKubeAwareVersionStrings(v, best) > 0) {
			best = v
		}
	}
	return best
}

func crdGVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
}
