// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// DeleteOptions say which cluster is deleted, and how the wait goes.
type DeleteOptions struct {
	// Namespace and Name are the Cluster's.
	Namespace, Name string
	// WaitOptions are those of the wait; ctx's deadline ends it.
	WaitOptions
	// Settle is how long is waited, once the Cluster is gone, for what a garbage collector takes away after it;
	// zero means 5 s.
	Settle time.Duration
	// Patience is how long nothing may move before what stands still is nudged; zero means 1 min. It doubles with every nudge.
	Patience time.Duration
	// Again is the command that waits on, for hints; empty means "clusterctl delete cluster NAME -n NAMESPACE".
	Again string
	// Found hears, before anything is deleted, that the Cluster is there; its error ends the deletion. nil is allowed.
	Found func() error
}

// DeleteResult tells how a deletion went.
type DeleteResult struct {
	// WasDeleting says that the deletion had begun before.
	WasDeleting bool
	// Took is how long it was waited.
	Took time.Duration
	// Leftovers still belong to the cluster although it is gone.
	Leftovers Belongings
}

// Delete deletes one Cluster and waits until it is gone. It sends one DELETE, that of the Cluster object with
// its UID as precondition and background propagation; what belongs to the cluster is for its owner to take apart, in the right order.
// Finalizers are never removed. A deletion that has begun is waited for. Where it stands still, an annotation is all that is written.
//
// Errors: a *NotFoundError (class fault.Refused) where there is no such Cluster; class fault.Timeout at ctx's deadline, naming
// finalizers and what is still there; class fault.Interrupted when ctx was cancelled.
func Delete(ctx context.Context, c *kube.Client, opts DeleteOptions) (DeleteResult, error) {
	key := types.NamespacedName{Namespace: opts.Namespace, Name: opts.Name}
	began := time.Now()
	var result DeleteResult
	u, err := findForDeletion(ctx, c, key)
	if err != nil {
		return result, err
	}
	if opts.Found != nil {
		if err := opts.Found(); err != nil {
			return result, err
		}
	}
	if result.WasDeleting = u.GetDeletionTimestamp() != nil; result.WasDeleting {
		event.Notef(opts.Sink, "Cluster %s is being deleted since %s", key, u.GetDeletionTimestamp().UTC().Format(time.RFC3339))
	} else if err := deleteCluster(ctx, c, u); err != nil {
		return result, err
	}
	if hint := capi.HowToUnpause(u); hint != "" {
		event.Warnf(opts.Sink, "Cluster %s is paused: its deletion waits until somebody unpauses it: %s", key, hint)
	}
	g := &going{c: c, key: key, uid: u.GetUID(), evidence: newEvidence(c, opts.Logs), began: began, again: opts.Again}
	g.nudger = &nudger{c: c, key: key, sink: opts.Sink, patience: orDefault(opts.Patience, defaultPatience)}
	if err := kube.Wait(ctx, opts.Sink, opts.Step, opts.interval(), g); err != nil {
		result.Took = time.Since(began)
		return result, g.explain(ctx, err)
	}
	result.Leftovers, err = settle(ctx, c, key, u.GetUID(), orDefault(opts.Settle, 5*time.Second))
	result.Took = time.Since(began)
	return result, err
}

// CheckThere says whether there is a Cluster to delete: a *NotFoundError (class fault.Refused) where there is none.
func CheckThere(ctx context.Context, c *kube.Client, key types.NamespacedName) error {
	_, err := findForDeletion(ctx, c, key)
	return err
}

func findForDeletion(ctx context.Context, c *kube.Client, key types.NamespacedName) (*unstructured.Unstructured, error) {
	var u *unstructured.Unstructured
	err := kube.Retry(ctx, func(ctx context.Context) error {
		var err error
		u, err = getCluster(ctx, c, key)
		return err
	})
	if isNotFound(err) || errors.Is(err, capi.ErrNotInstalled) {
		return nil, notFound(ctx, c, key, err)
	}
	if err != nil {
		return nil, fmt.Errorf("delete Cluster %s: %w", key, err)
	}
	return u, nil
}

// deleteCluster sends the one DELETE. Background propagation: foreground would wait for a garbage collector, which a local
// bootstrap cluster doesn't have, and would delete children in no order.
func deleteCluster(ctx context.Context, c *kube.Client, u *unstructured.Unstructured) error {
	uid, background := u.GetUID(), metav1.DeletePropagationBackground
	err := kube.Retry(ctx, func(ctx context.Context) error {
		err := c.Delete(ctx, u.GroupVersionKind(), u.GetNamespace(), u.GetName(), metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: &background,
		})
		if isNotFound(err) {
			return nil
		}
		if apierrors.IsConflict(err) && !canHeal(err) {
			return fault.WithHint(fault.Refusedf("delete Cluster %s/%s: it was replaced by another one of that name just now", u.GetNamespace(), u.GetName()),
				"look at it before you run the command again")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete Cluster %s/%s: %w", u.GetNamespace(), u.GetName(), err)
	}
	return nil
}

// NotFoundError says that there is no Cluster of a name in a namespace.
type NotFoundError struct {
	Namespace, Name string
	// NoAPI says that the server has no Cluster API at all.
	NoAPI bool
	// Elsewhere are other namespaces that have a Cluster of that name.
	Elsewhere []string
}

// Error says what isn't there.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("there is no Cluster %s in namespace %s", e.Name, e.Namespace)
}

func notFound(ctx context.Context, c *kube.Client, key types.NamespacedName, err error) error {
	nf := &NotFoundError{Namespace: key.Namespace, Name: key.Name}
	if errors.Is(err, capi.ErrNotInstalled) {
		nf.NoAPI = true
		return fault.WithHint(fault.WithCode(fault.Refused, nf), "this cluster has no Cluster API at all: is it the right kubeconfig?")
	}
	elsewhere, err := Find(ctx, c, key.Name)
	if err != nil || len(elsewhere) == 0 {
		return fault.WithCode(fault.Refused, nf) // another place of that name is only a hint
	}
	nf.Elsewhere = elsewhere
	return fault.WithHint(fault.WithCode(fault.Refused, nf), "there is one in namespace %s: give -n", strings.Join(elsewhere, ", "))
}

func orDefault(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}
