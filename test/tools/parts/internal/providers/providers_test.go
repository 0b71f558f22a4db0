// SPDX-License-Identifier: Apache-2.0

package providers

import (
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImageNames(t *testing.T) {
	t.Parallel()
	released, served := map[string]string{}, map[string]string{}
	for _, provider := range All() {
		released[provider.Label] = provider.ReleasedImage("v1.2.3")
		served[provider.Label] = "127.0.0.1:5000/" + provider.ServedImage("v1.2.3")
	}
	want := map[string]string{
		"cluster-api":           "registry.k8s.io/cluster-api/cluster-api-controller:v1.2.3",
		"bootstrap-kubeadm":     "registry.k8s.io/cluster-api/kubeadm-bootstrap-controller:v1.2.3",
		"control-plane-kubeadm": "registry.k8s.io/cluster-api/kubeadm-control-plane-controller:v1.2.3",
		"infrastructure-docker": "gcr.io/k8s-staging-cluster-api/capd-manager:v1.2.3",
	}
	if diff := cmp.Diff(want, released); diff != "" {
		t.Errorf("released images (-want +got):\n%s", diff)
	}
	// An override of the repository replaces all before the last segment.
	for label, image := range want {
		want := ServedRepository("127.0.0.1:5000") + "/" + path.Base(image)
		if served[label] != want {
			t.Errorf("served image of %s: %s, an override leads to %s", label, served[label], want)
		}
	}
}
