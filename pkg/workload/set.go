// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// Set is what belongs to the creation of one cluster.
type Set struct {
	// Name and Namespace are the Cluster's.
	Name, Namespace string
	// Cluster is the Cluster object, which is in Objects too.
	Cluster manifest.Object
	// Objects are all objects, as they were loaded; [Apply] works on copies.
	Objects []manifest.Object
	// Later are those of Objects that are applied after the others: the workers of [LoadLegacy].
	Later []manifest.Object
	// override says that objects with another namespace are moved to the Cluster's instead of being refused.
	override bool
}

// Key is the Cluster's namespace and name.
func (s *Set) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
}

// LoadOptions say what the caller expects of a set.
type LoadOptions struct {
	// Name is the name that the Cluster must have; empty: whichever it has.
	Name string
	// Namespace is the namespace that was asked for; empty: the Cluster's own, else DefaultNamespace.
	Namespace string
	// DefaultNamespace is used where neither the caller nor the Cluster names one; empty means "default".
	DefaultNamespace string
	// OverrideNamespace moves objects that carry another namespace to the Cluster's, as it is done
	// with provider templates. Without it they are an error.
	OverrideNamespace bool
}

// Load finds the one Cluster among objs and checks that name and namespaces fit together. All faults come in one error of
// class fault.Usage, with file and line.
func Load(objs []manifest.Object, opts LoadOptions) (*Set, error) {
	cluster, err := oneCluster(objs, opts.Name)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: cluster.GetName(), Cluster: cluster, Objects: objs, override: opts.OverrideNamespace}
	if s.Namespace, err = targetNamespace(cluster, opts); err != nil {
		return nil, err
	}
	if err := checkNamespaces(s); err != nil {
		return nil, err
	}
	return s, nil
}

func clustersIn(objs []manifest.Object) []manifest.Object {
	var out []manifest.Object
	for _, o := range objs {
		if o.GroupVersionKind().GroupKind() == capi.ClusterGK() {
			out = append(out, o)
		}
	}
	return out
}

func oneCluster(objs []manifest.Object, name string) (manifest.Object, error) {
	clusters := clustersIn(objs)
	switch len(clusters) {
	case 0:
		why := fault.Usagef("find the Cluster: none of the %d objects is one (%s)", len(objs), capi.GroupCore)
		if len(objs) == 0 {
			why = fault.Usagef("find the Cluster: there are no objects at all")
		}
		return manifest.Object{}, fault.WithHint(
			why,
			"add a document with kind Cluster, or take a template with -i")
	case 1:
	default:
		var places []string
		for _, c := range clusters {
			places = append(places, fmt.Sprintf("%s (%s)", c.GetName(), c.Origin))
		}
		return manifest.Object{}, fault.WithHint(
			fault.Usagef("find the Cluster: there are %d: %s", len(clusters), strings.Join(places, ", ")),
			"one run creates one cluster: put each in a file of its own")
	}
	c := clusters[0]
	if c.GetName() == "" {
		return c, fault.Usagef("find the Cluster: the one in %s has no name", c.Origin)
	}
	if name != "" && c.GetName() != name {
		return c, fault.WithHint(
			fault.Usagef("find the Cluster: %s was asked for, but the one in %s is called %s", name, c.Origin, c.GetName()),
			"give its own name, or make the name a variable: ${CLUSTER_NAME}")
	}
	return c, nil
}

func targetNamespace(cluster manifest.Object, opts LoadOptions) (string, error) {
	own := cluster.GetNamespace()
	switch {
	case opts.Namespace != "" && own != "" && own != opts.Namespace && !opts.OverrideNamespace:
		return "", fault.WithHint(
			fault.Usagef("find the namespace: %s was asked for, but Cluster %s (%s) is in %s", opts.Namespace, cluster.GetName(), cluster.Origin, own),
			"give --namespace %s, or make the namespace a variable: ${NAMESPACE}", own)
	case opts.Namespace != "":
		return opts.Namespace, nil
	case own != "":
		return own, nil
	case opts.DefaultNamespace != "":
		return opts.DefaultNamespace, nil
	}
	return "default", nil
}

// checkNamespaces refuses objects of the Cluster API that stand in another namespace than the Cluster: references stay
// inside of one namespace. The exception is the namespace of a class that the Cluster names.
func checkNamespaces(s *Set) error {
	if s.override {
		return nil
	}
	allowed := map[string]bool{"": true, s.Namespace: true, capi.ReadCluster(s.Cluster.Unstructured).ClassNamespace: true}
	var faults fault.List
	for _, o := range s.Objects {
		if strings.HasSuffix(o.GroupVersionKind().Group, capi.GroupSuffix) && !allowed[o.GetNamespace()] {
			faults.Add(fault.Usagef("%s %s (%s) is in namespace %s, but Cluster %s is in %s",
				o.GetKind(), o.GetName(), o.Origin, o.GetNamespace(), s.Name, s.Namespace))
		}
	}
	return faults.Err()
}
