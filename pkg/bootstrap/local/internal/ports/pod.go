// SPDX-License-Identifier: Apache-2.0

package ports

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
)

// Pod is the table's key of a container port; port is its name, or its number if it has none.
func Pod(namespace, deployment, port string) string {
	return namespace + "/" + deployment + "/" + port
}

// PortName is the name of a container port, or its number if it has none.
func PortName(p corev1.ContainerPort) string {
	if p.Name != "" {
		return p.Name
	}
	return strconv.Itoa(int(p.ContainerPort))
}

// Promise is Ensure for a port that others are told: webhooks call it.
func Promise(ctx context.Context, d layout.Dir, key string) (int, error) {
	t, err := Ensure(ctx, d, key)
	if err != nil {
		return 0, err
	}
	held, err := lock.Acquire(ctx, d.PortsLock(), nil)
	if err != nil {
		return 0, err
	}
	defer held.Release()
	keys, err := Promised(d)
	if err != nil || slices.Contains(keys, key) {
		return t[key], err
	}
	return t[key], layout.WriteJSON(d.Webhooks(), append(keys, key))
}

// Promised are the keys of ports that others were told.
func Promised(d layout.Dir) ([]string, error) {
	var keys []string
	err := layout.ReadJSON(d.Webhooks(), &keys)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return keys, err
}

// Listening says which of the table's ports somebody listens on.
func (t Table) Listening() []int {
	var busy []int
	for _, port := range t {
		if !available(port) {
			busy = append(busy, port)
		}
	}
	slices.Sort(busy)
	return busy
}
