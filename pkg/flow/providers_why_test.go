// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"errors"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// TestImagesThatCantBeHad: where an image can't be pulled, the hint says what its user can do there; an error of another kind gets none.
func TestImagesThatCantBeHad(t *testing.T) {
	t.Parallel()
	const backOff = "Deployment capi-system/manager: 0 of 1 replicas available; pod manager-1: container manager: ImagePullBackOff: Back-off pulling image"
	for name, tt := range map[string]struct {
		text string
		on   bootstrap.Type
		want string
	}{
		"by us":                {"the process of Deployment a/b: pull image example.org/a:v1: no such host", bootstrap.Local, "HTTPS_PROXY"},
		"by a node of ours":    {backOff, bootstrap.Kind, "--load-images"},
		"by a node, first try": {strings.Replace(backOff, "ImagePullBackOff", "ErrImagePull", 1), bootstrap.Kind, "--load-images"},
		"by somebody's node":   {backOff, bootstrap.Existing, "reach that registry"},
		"another cause":        {"Deployment a/b: 0 of 1 replicas available", bootstrap.Kind, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hints := strings.Join(fault.Hints(Reasons{on: tt.on}.hintImages(errors.New(tt.text))), "\n")
			if tt.want == "" && hints != "" || !strings.Contains(hints, tt.want) {
				t.Errorf("hints %q, want %q", hints, tt.want)
			}
		})
	}
}
