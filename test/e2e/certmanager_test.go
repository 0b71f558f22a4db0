// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// useCertManager gives a user cert-manager as test/tools makes it of its module: the manifest of a release, and images in the engine by their
// released names.
func (e *engine) useCertManager(t *testing.T, h *home) {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(shared.parts, "cert-manager", "v*", "cert-manager.yaml"))
	if len(found) == 0 {
		t.Skipf("SKIPPED, NOT TESTED: there is no cert-manager in %s (make test-images makes it)", shared.parts)
	}
	version := filepath.Base(filepath.Dir(found[len(found)-1]))
	for _, name := range []string{"controller", "webhook", "cainjector"} {
		image := certManagerRegistry + "/cert-manager-" + name + ":" + version
		if out, err := exec.Command("docker", "image", "inspect", image).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED, NOT TESTED: the engine has no image %s (make test-images loads it): %s", image, strings.TrimSpace(string(out)))
		}
		e.certManager = append(e.certManager, image)
	}
	config := filepath.Join(h.dir, "config", "clusterctl.yaml")
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "images:\n", fmt.Sprintf("images:\n  cert-manager:\n    repository: %s\n", certManagerRegistry), 1)
	text += fmt.Sprintf("cert-manager:\n  url: %s\n  version: %s\n", found[len(found)-1], version)
	writeFile(t, config, text)
	preload, err := json.Marshal(append(slices.Clone(e.images), e.certManager...))
	if err != nil {
		t.Fatal(err)
	}
	h.setenv("DOCKER_PRELOAD_IMAGES", string(preload))
}

// certManagerRegistry is where a release of cert-manager has its images.
const certManagerRegistry = "quay.io/jetstack"
