// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"path/filepath"
	"testing"
)

// badInput is a call that can't succeed, and the error that it must end with before anything is made.
type badInput struct {
	name  string
	env   [2]string
	args  []string
	code  int
	words []string
}

func badInputs(t *testing.T, dir string) []badInput {
	t.Helper()
	unreachable := filepath.Join(dir, "unreachable.yaml")
	writeFile(t, unreachable, `apiVersion: v1
kind: Config
current-context: a
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
contexts: [{name: a, context: {cluster: c}}]
`)
	broken := filepath.Join(dir, "broken.yaml")
	writeFile(t, broken, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n---\nkind: [\n")
	variables := filepath.Join(dir, "variables.yaml")
	writeFile(t, variables, `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: "${CLUSTER_NAME}", labels: {region: "${REGION}", size: "${SIZE}"}}
spec: {topology: {version: "${KUBERNETES_VERSION}", classRef: {name: "${CLASS}"}}}
`)
	local := []string{"--bootstrap", "local", "--infrastructure", "docker"}
	return []badInput{
		{name: "unknown provider", args: []string{"--infrastructure", "dokcer"}, code: 2, words: []string{`unknown InfrastructureProvider "dokcer"`, "did you mean docker?"}},
		{name: "unknown version", args: []string{"--infrastructure", "docker:v9.9.9"}, code: 2, words: []string{"v9.9.9", "infrastructure-docker", "there is v1."}},
		{name: "malformed version", args: []string{"--infrastructure", "docker:newest"}, code: 2, words: []string{"newest"}},
		{name: "wrong flavor", args: append(local, "--flavor", "memory"), code: 2, words: []string{`no flavor "memory"`, "in-memory"}},
		{name: "missing variables", args: append(local, "-f", variables), code: 2, words: []string{"3 variables have no value", "REGION", "SIZE", "CLASS", variables + ":3"}},
		{name: "malformed file", args: append(local, "-f", broken), code: 2, words: []string{broken + ":", "not valid YAML"}},
		{name: "no such file", args: append(local, "-f", "nowhere.yaml"), code: 2, words: []string{"nowhere.yaml"}},
		{name: "negative count", args: append(local, "--worker-machine-count", "-1"), code: 2, words: []string{"worker-machine-count"}},
		{name: "unreachable bootstrap cluster", args: []string{"--bootstrap-kubeconfig", unreachable, "--infrastructure", "docker", "--flavor", "in-memory"}, code: 4, words: []string{"https://127.0.0.1:1", "connection refused"}},
		{name: "no such kubeconfig", args: []string{"--bootstrap-kubeconfig", "nowhere", "--infrastructure", "docker"}, code: 2, words: []string{"nowhere"}},
		{name: "KUBECONFIG is a folder", env: [2]string{"KUBECONFIG", dir}, args: []string{"--bootstrap", "existing", "--infrastructure", "docker"}, code: 2, words: []string{dir, "folder"}},
		{name: "both bootstraps", args: append(local, "--bootstrap-kubeconfig", unreachable), code: 2, words: []string{"--bootstrap local"}},
		{name: "kubeconfig path is a folder", args: append(local, "--flavor", "in-memory", "--kubeconfig-out", dir), code: 2, words: []string{dir}},
	}
}

func TestBadInputChangesNothing(t *testing.T) {
	h := newHome(t)
	for _, c := range badInputs(t, t.TempDir()) {
		t.Run(c.name, func(t *testing.T) {
			if c.env[0] != "" {
				h.setenv(c.env[0], c.env[1])
				defer h.setenv(c.env[0], "")
			}
			h.wantFailure(t, c.code, c.words, append([]string{"create", "cluster", "demo"}, c.args...)...)
			h.wantNothingLeft(t, nil)
		})
	}
}
