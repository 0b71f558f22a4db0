// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// errChanged says that an object isn't in the state any more in which it was to be removed.
var errChanged = errors.New("changed meanwhile")

// remove deletes exactly one state of an object, so that no controller ever sees it being deleted: its finalizers go first, and the
// delete is for the very state that this made. If somebody came between (a controller that puts its finalizer back), nothing is
// deleted and the error matches errChanged. An object that is gone is no error.
func remove(ctx context.Context, c *kube.Client, t kube.Target, uid types.UID, state string, finalizers bool) error {
	if finalizers {
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid, "resourceVersion": state, "finalizers": nil}})
		if err != nil {
			return err
		}
		stored, err := c.SendPatch(ctx, t, types.MergePatchType, patch)
		if err != nil {
			return changedOrGone(err)
		}
		state = stored.ResourceVersion
	}
	err := c.SendDelete(ctx, t, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &state}})
	return changedOrGone(err)
}

func changedOrGone(err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return errors.Join(errChanged, err)
	}
	return err
}
