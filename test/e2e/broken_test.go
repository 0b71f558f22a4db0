// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestProvidersThatCantRun tries providers that can't run, side by side on one bootstrap cluster: the wait for
// each says why, and ends at its deadline.
func TestProvidersThatCantRun(t *testing.T) {
	h := newHome(t)
	address := registryOf(t, map[string]v1.Platform{"exits": thisPlatform(), "elsewhere": otherPlatform()})
	h.addProvider(t, "exits", address)
	h.addProvider(t, "elsewhere", address)
	h.addProvider(t, "unreachable", "127.0.0.1:1")
	port, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprintf(":%d", providerPort))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = port.Close() }()

	h.must(t, "create", "bootstrap", "lab")
	h.must(t, "init", "--kubeconfig", h.management("lab"))
	// All at once, as their deadlines are what takes the time; each is long enough for a slow host to see why.
	cases := []struct {
		provider string
		words    []string
		run      *process
	}{
		{provider: "exits", words: []string{"exits-system/exits-manager", "exited with code 7", "there is no cloud"}},
		{provider: "elsewhere", words: []string{"elsewhere-system/elsewhere-manager", address + "/elsewhere:" + brokenVersion, thisPlatform().String()}},
		{provider: "unreachable", words: []string{"unreachable-system/unreachable-manager", "127.0.0.1:1", "connection refused"}},
		{provider: "docker", words: []string{"capd-system/capd-controller-manager", fmt.Sprintf(":%d: bind: address already in use", providerPort)}},
	}
	for i, c := range cases {
		cases[i].run = h.start(t, "create", "cluster", c.provider, "-f", testdata(t, "cluster.yaml"), "--bootstrap-name", "lab",
			"--infrastructure", c.provider, "--timeout", "45s")
	}
	for _, c := range cases {
		t.Run(c.provider, func(t *testing.T) {
			c.run.wait(t).wantError(t, 3, append(c.words, "step providers", "clusterctl create cluster "+c.provider)...)
			if _, err := os.Stat(filepath.Join(h.dir, c.provider+".kubeconfig")); err == nil {
				t.Error("there is a kubeconfig")
			}
		})
	}
	ports := h.ports("lab")
	for _, name := range []string{"exits", "elsewhere", "unreachable", "docker"} {
		h.must(t, "delete", "cluster", name, "--yes")
	}
	if b := h.items(t, "get", "bootstraps"); len(b) != 1 {
		t.Errorf("the bootstrap cluster, which wasn't made for the clusters, went with them: %v", b)
	}
	h.must(t, "delete", "bootstrap", "lab", "--yes")
	_ = port.Close()
	h.wantNothingLeft(t, ports)
}

// addProvider adds an infrastructure provider with a Deployment, whose image is in a registry, to the configuration.
func (h *home) addProvider(t *testing.T, name, registry string) {
	t.Helper()
	dir := filepath.Join(h.dir, "repository", "infrastructure-"+name, brokenVersion)
	components := filepath.Join(dir, "infrastructure-components.yaml")
	template, err := os.ReadFile(testdata(t, "provider.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, components, strings.ReplaceAll(string(template), "NAME", name))
	writeFile(t, filepath.Join(dir, "metadata.yaml"), `apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3
kind: Metadata
releaseSeries:
- {major: 1, minor: 0, contract: v1beta2}
`)
	config := filepath.Join(h.dir, "config", "clusterctl.yaml")
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "images:\n", fmt.Sprintf("images:\n  infrastructure-%s:\n    repository: %s\n", name, registry), 1)
	text += fmt.Sprintf("- name: %s\n  type: InfrastructureProvider\n  url: %s\n", name, components)
	writeFile(t, config, text)
}
