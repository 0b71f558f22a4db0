// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// Where journal and leases are, on both clusters.
const (
	journalNamespace = "kube-system"
	journalName      = "clusterctl-move"
	journalKey       = "journal"
	// moveLabel marks the objects that a move itself needs; its value is the move's id.
	moveLabel = "clusterctl.cluster.x-k8s.io/move-id"
)

// Phase is how far a move is.
type Phase string

// The phases, in their order.
const (
	PhaseQuiescing Phase = "quiescing"
	PhaseCopying   Phase = "copying"
	PhaseReleasing Phase = "releasing"
	PhaseResuming  Phase = "resuming"
	PhaseFinishing Phase = "finishing"
	// PhaseMoved stays on a source that is to be deleted as a whole ([Options.Discard]): what it still holds is not to be acted on.
	PhaseMoved Phase = "moved"
	// PhaseRollingBack is that of a move that is being undone.
	PhaseRollingBack Phase = "rolling-back"
)

// Side is one of the two clusters, for messages and to know it again.
type Side struct {
	// UID is the cluster's identity: that of its kube-system namespace.
	UID string `json:"uid"`
	// Host is the address under which the move reached it.
	Host string `json:"host,omitempty"`
}

// Controller is a Deployment that a move scaled.
type Controller struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
	// Replicas is how many it had.
	Replicas int64 `json:"replicas"`
}

// PausedObject is something that a move paused.
type PausedObject struct {
	plan.Key
	Version string `json:"version"`
	// Was is the value of spec.paused before: "", "false"; or "annotation" where the pause is one.
	Was string `json:"was,omitempty"`
}

// Webhook is a webhook configuration that a move changed.
type Webhook struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Saved are the configuration's webhooks as they were, where no exception in them lasts: the server is too old, or
	// somebody who is too old writes them.
	Saved json.RawMessage `json:"saved,omitempty"`
}

// Journal is what a move must know to go on, or back, when everything else of it is gone. It is kept on both clusters; which
// objects are done is read from the clusters.
type Journal struct {
	ID      string    `json:"id"`
	Phase   Phase     `json:"phase"`
	Started time.Time `json:"started"`
	By      Identity  `json:"by"`
	Source  Side      `json:"source"`
	Target  Side      `json:"target"`
	// Scope, Quiesce, AllowProvisioning and Discard are the options that the move was started with.
	Scope             plan.Scope `json:"scope"`
	Quiesce           Quiesce    `json:"quiesce"`
	AllowProvisioning bool       `json:"allowProvisioning,omitempty"`
	Discard           bool       `json:"discard,omitempty"`
	// Total is how many objects move.
	Total int `json:"total"`
	// Controllers are the source's, and TargetControllers those on the target that stood still.
	Controllers       []Controller `json:"controllers,omitempty"`
	TargetControllers []Controller `json:"targetControllers,omitempty"`
	// Paused is what the move paused on the source; Held what gets paused on the target only.
	Paused []PausedObject `json:"paused,omitempty"`
	Held   []PausedObject `json:"held,omitempty"`
	// Webhooks are the source's that were changed, and User who may pass them.
	Webhooks []Webhook `json:"webhooks,omitempty"`
	User     string    `json:"user,omitempty"`
	// Impersonate says that User is somebody to impersonate, with Groups.
	Impersonate bool     `json:"impersonate,omitempty"`
	Groups      []string `json:"groups,omitempty"`
	// Remaining says that the source manages other clusters too.
	Remaining bool `json:"remaining,omitempty"`
	// Inventory is how many parts the list of the copied objects has; 0 until it is written.
	Inventory int `json:"inventory,omitempty"`
	// Snapshot is the file with all objects on the host that moves.
	Snapshot string `json:"snapshot,omitempty"`

	// created is when the server stored it.
	created metav1.Time
}

// begun says whether the journal was ever stored.
func (j *Journal) begun() bool { return !j.created.IsZero() }

// orUndo is the other way out of a move that is under way, where it can be taken; how is what belongs to the flag.
func (j *Journal) orUndo(how string) string {
	if !j.BeforeRelease() {
		return ""
	}
	return ", or undo it with --rollback" + how
}

// BeforeRelease says whether the move can still be undone.
func (j *Journal) BeforeRelease() bool {
	return j.Phase == PhaseQuiescing || j.Phase == PhaseCopying || j.Phase == PhaseRollingBack
}

func gvkConfigMap() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
}

// readJournal returns nil where there is none.
func readJournal(ctx context.Context, c *kube.Client) (*Journal, error) {
	var u *unstructured.Unstructured
	err := kube.Retry(ctx, func(ctx context.Context) error {
		var err error
		u, err = c.Get(ctx, gvkConfigMap(), journalNamespace, journalName)
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the journal of moves: %w", err)
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", journalKey)
	j := &Journal{created: u.GetCreationTimestamp()}
	if err := json.Unmarshal([]byte(text), j); err != nil {
		return nil, fmt.Errorf("understand the journal ConfigMap %s/%s on %s: %w", journalNamespace, journalName, c.Host(), err)
	}
	return j, nil
}

// writeJournal stores the journal on one cluster, over an older state of it.
func writeJournal(ctx context.Context, c *kube.Client, j *Journal) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{journalKey: string(text)}}}
	u.SetGroupVersionKind(gvkConfigMap())
	u.SetNamespace(journalNamespace)
	u.SetName(journalName)
	u.SetLabels(map[string]string{moveLabel: j.ID})
	body, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	t := kube.Target{GVK: gvkConfigMap(), Namespace: journalNamespace, Name: journalName}
	err = kube.Retry(ctx, func(ctx context.Context) error {
		stored, err := c.SendPatch(ctx, t, types.ApplyPatchType, body)
		if err == nil {
			j.created = stored.CreationTimestamp
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

func deleteJournal(ctx context.Context, c *kube.Client) error {
	return kube.Retry(ctx, func(ctx context.Context) error {
		err := c.SendDelete(ctx, kube.Target{GVK: gvkConfigMap(), Namespace: journalNamespace, Name: journalName}, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}
