// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	waitStep     = "wait-kubeconfig"
	waitInterval = time.Second
)

// awaited is a kubeconfig as a condition that [kube.Wait] can wait for.
type awaited struct {
	f     *fetcher
	found *Kubeconfig
}

// String names what is waited for.
func (a *awaited) String() string {
	return fmt.Sprintf("kubeconfig of cluster %s/%s", a.f.opts.Namespace, a.f.opts.Name)
}

// Check gives a reason for what comes by itself, and an error for what doesn't: no such
// cluster, one that is being deleted, a Secret that holds something else.
func (a *awaited) Check(ctx context.Context) (done bool, reason string, err error) {
	found, err := a.f.once(ctx)
	if err == nil {
		a.found = found
		return true, "", nil
	}
	var notReady *NotReadyError
	if errors.As(err, &notReady) && !notReady.Deleting {
		return false, fmt.Sprintf("secret %s is not there yet (%s)", notReady.Secret, notReady.state()), nil
	}
	var malformed *MalformedError
	if errors.As(err, &malformed) && malformed.Problem == Empty {
		return false, err.Error(), nil
	}
	return false, "", err
}
