// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// Scope says what a move is about. The zero value is refused by Build: nothing is moved by accident.
type Scope struct {
	// All moves everything that the management cluster manages.
	All bool
	// Namespaces moves everything in these namespaces.
	Namespaces []string
	// Clusters moves single clusters with what belongs to them.
	Clusters []types.NamespacedName
	// Include adds objects that nothing leads to: "KIND", "KIND/NAME" or "KIND/NAMESPACE/NAME" (KIND may be
	// kind, plural or short name, with ".GROUP"), or a label selector ("a=b").
	// Kinds and selectors look in the namespaces of the move only.
	Include []string
	// Exclude leaves objects out, written in the same ways.
	Exclude []string
	// AllowOrphans names objects, written in the same ways, that may be moved without an owner that can't be moved with them.
	AllowOrphans []string
}

// Key names an object on both sides of a move.
type Key struct {
	schema.GroupKind
	Namespace, Name string
}

// String is "Kind namespace/name", or "Kind name" for what is in no namespace.
func (k Key) String() string {
	if k.Namespace == "" {
		return fmt.Sprintf("%s %s", k.Kind, k.Name)
	}
	return fmt.Sprintf("%s %s/%s", k.Kind, k.Namespace, k.Name)
}

// Mode is what a move does with an object.
type Mode string

const (
	// Move copies the object and deletes it where it was.
	Move Mode = "move"
	// Copy copies the object and keeps it where it was, because something that stays needs it too. A copy that
	// is on the target already stays as it is there.
	Copy Mode = "copy"
)

// Object is one object of a plan.
type Object struct {
	Key
	// Version is the API version that the object is read and written in: the one in which the source stores it.
	Version string
	// UID is the object's identity on the source.
	UID types.UID
	// Mode is Move or Copy.
	Mode Mode
	// Why says how the object came into the plan, for people: "Cluster", "owned by Machine default/x", "spec.configRef of Machine default/x".
	Why string
	// Cluster is the cluster that the object belongs to by label, by spec or by its owners; empty if there is none or are several.
	Cluster types.NamespacedName
	// Level is when the object is made: its owners have lower ones. Deleting goes the other way.
	Level int
	// Owners are positions, in Plan.Objects, of the owners that are in the plan, in the order of ownerReferences.
	// -1 stands for an owner that is not in the plan (see Outside).
	Owners []int
	// Outside are owners that aren't in the plan and were allowed to be left: they are looked for by name on the target.
	// Where they aren't there the reference is left out of the copy.
	Outside []metav1.OwnerReference
	// PausedByCluster says that a Cluster of the plan holds the object's controllers while it is paused; anything else
	// of Cluster API gets an annotation for that.
	PausedByCluster bool
	// HasStatus says that the object has a status that is written through a subresource.
	HasStatus bool
	// Deleting says that the object is being deleted.
	Deleting bool
	// Late are positions in ownerReferences (and in Owners) of owners that come after this object, because the references go in a circle:
	// it is made without them, and gets them later.
	Late []int
	// LosesOwners says, of a Copy, that all its owners move away: the source's garbage collector would delete it together with them
	// unless its ownerReferences are taken off first.
	LosesOwners bool
	// Source is the object as it was last read on the source. The mover drops it once it isn't needed.
	Source *unstructured.Unstructured
}

// GVK is the kind at which the object is read and written.
func (o *Object) GVK() schema.GroupVersionKind { return o.WithVersion(o.Version) }

// Left is an object that stays, and why.
type Left struct {
	Key
	// Why is for people: "Secret default/grafana: nothing of the move refers to it".
	Why string
	// Lost says that the source's garbage collector will delete the object once its owners have moved.
	Lost bool
}

// Plan is what a move would do.
type Plan struct {
	// Objects are what is copied: lower levels first, inside of a level by kind, namespace and name.
	Objects []*Object
	// Levels is how many there are.
	Levels int
	// Left are objects in the scope's namespaces, or tied to objects of the plan, that stay behind.
	Left []Left
	// Namespaces are those that the objects need, sorted.
	Namespaces []string
	// Remaining are Clusters that the management cluster goes on managing afterwards.
	Remaining []types.NamespacedName
	// Kinds are all kinds of the plan, sorted, each in the version of its objects.
	Kinds []schema.GroupVersionKind
	// Warnings are for people: what is unusual but doesn't stand in the way.
	Warnings []string
}

// Find returns the object with a key, nil if the plan has none.
func (p *Plan) Find(k Key) *Object {
	for _, o := range p.Objects {
		if o.Key == k {
			return o
		}
	}
	return nil
}

// Clusters are the Clusters of the plan, in its order.
func (p *Plan) Clusters() []*Object {
	var out []*Object
	for _, o := range p.Objects {
		if o.GroupKind == capi.ClusterGK() {
			out = append(out, o)
		}
	}
	return out
}
