// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// hand runs the script that does by hand what clusterctl does.
type hand struct {
	// dir holds the script's inputs, data what it makes; data is removed after each run.
	dir, data, script string
}

// newHand prepares the script's inputs; that isn't measured.
func (b *bench) newHand(ctx context.Context) (*hand, error) {
	h := &hand{dir: filepath.Join(b.dir, "byhand"), data: filepath.Join(b.dir, "byhand-data")}
	var err error
	if h.script, err = filepath.Abs("test/bench/byhand.sh"); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return nil, err
	}
	ports, err := freePorts(ctx, 4+3*len(managers()))
	if err != nil {
		return nil, err
	}
	vars := map[string]string{"KUBE": b.parts.kube, "MANAGERS": b.parts.managers, "DATA": h.data}
	for i, name := range []string{"ETCD", "PEER", "API", "KCM"} {
		vars[name] = fmt.Sprint(ports[i])
	}
	webhooks := map[string]int{}
	for i, m := range managers() {
		p := ports[4+3*i:]
		vars[m.name] = fmt.Sprintf("%d %d %d", p[0], p[1], p[2])
		webhooks[m.service] = p[0]
	}
	ca, err := writePKI(h.dir, fmt.Sprintf("https://127.0.0.1:%d", ports[2]))
	if err != nil {
		return nil, err
	}
	if err := b.writeComponents(ctx, filepath.Join(h.dir, "components.yaml"), ca, webhooks); err != nil {
		return nil, err
	}
	var text strings.Builder
	for name, value := range vars {
		fmt.Fprintf(&text, "%s=%q\n", name, value)
	}
	return h, errors.Join(
		os.WriteFile(filepath.Join(h.dir, "vars"), []byte(text.String()), 0o600),
		os.WriteFile(filepath.Join(h.dir, "probes.yaml"), []byte(probes), 0o600),
	)
}

// run runs the script until it is ready, and has it stop everything again.
func (h *hand) run(ctx context.Context) (run handRun, err error) {
	cmd := command(ctx, "", os.Environ(), h.script, h.dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return run, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return run, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return run, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch lines.Text() {
		case "control-plane":
			run.controlPlane = time.Since(began)
		case "applied":
			run.applied = time.Since(began)
		case "ready":
			run.total = time.Since(began)
			_ = in.Close()
		}
	}
	err = cmd.Wait()
	if err != nil || run.total == 0 {
		return run, fmt.Errorf("run %s: %w: %s", h.script, errors.Join(err, ctx.Err()), tail(stderr.String()))
	}
	return run, os.RemoveAll(h.data)
}

// handManager is a manager as the script calls it.
type handManager struct {
	name     string   // of the variable with its ports
	service  string   // that its webhooks are called by
	selector []string // what "generate provider" wants
}

func managers() []handManager {
	return []handManager{
		{"CORE", "capi-webhook-service", []string{"--core", "cluster-api"}},
		{"BOOTSTRAP", "capi-kubeadm-bootstrap-webhook-service", []string{"--bootstrap", "kubeadm"}},
		{"CONTROL_PLANE", "capi-kubeadm-control-plane-webhook-service", []string{"--control-plane", "kubeadm"}},
		{"DOCKER", "capd-webhook-service", []string{"--infrastructure", "docker"}},
	}
}

// probes are objects that pass a webhook of each manager.
const probes = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: probe, namespace: default}
spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DockerCluster, name: probe}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata: {name: probe, namespace: default}
spec: {format: cloud-config}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata: {name: probe, namespace: default}
spec:
  version: v1.34.0
  machineTemplate: {spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DockerMachineTemplate, name: probe}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DockerCluster
metadata: {name: probe, namespace: default}
spec: {}
`
