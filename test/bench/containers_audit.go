// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nodeAuditLog is where the API servers in containers write what people ask of them.
const nodeAuditLog = "/var/log/kubernetes/audit.log"

// peopleAudit has the requests of people noted: of whoever has the administrator's kubeconfig of kubeadm or of Cluster API.
const peopleAudit = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, userGroups: ["kubeadm:cluster-admins", "system:masters"]}
- {level: None}
`

// kindConfig is the bootstrap cluster of both ways. @POLICY@ is the file with the audit policy.
const kindConfig = `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
- role: control-plane
  extraMounts:
  - {hostPath: /var/run/docker.sock, containerPath: /var/run/docker.sock}
  - {hostPath: "@POLICY@", containerPath: /etc/kubernetes/audit/policy.yaml, readOnly: true}
  kubeadmConfigPatches:
  - |
    kind: ClusterConfiguration
    apiServer:
      extraArgs: {audit-policy-file: /etc/kubernetes/audit/policy.yaml, audit-log-path: ` + nodeAuditLog + `}
      extraVolumes:
      - {name: policy, hostPath: /etc/kubernetes/audit, mountPath: /etc/kubernetes/audit, readOnly: true, pathType: Directory}
      - {name: log, hostPath: /var/log/kubernetes, mountPath: /var/log/kubernetes, readOnly: false, pathType: DirectoryOrCreate}
`

// auditedTemplate has the API server of a template's clusters keep the same log.
func auditedTemplate(template string) (string, error) {
	const server = "    clusterConfiguration:\n      apiServer: {certSANs: [localhost, 127.0.0.1]}\n"
	if !strings.Contains(template, server) {
		return "", errors.New(clusterYAML + " isn't what it was: there is no place for the audit log")
	}
	policy, err := json.Marshal(peopleAudit)
	if err != nil {
		return "", err
	}
	return strings.Replace(template, server, `    files:
    - {path: /etc/kubernetes/audit/policy.yaml, owner: "root:root", permissions: "0600", content: `+string(policy)+`}
    clusterConfiguration:
      apiServer:
        certSANs: [localhost, 127.0.0.1]
        extraArgs:
        - {name: audit-policy-file, value: /etc/kubernetes/audit/policy.yaml}
        - {name: audit-log-path, value: `+nodeAuditLog+`}
        extraVolumes:
        - {name: policy, hostPath: /etc/kubernetes/audit, mountPath: /etc/kubernetes/audit, readOnly: true, pathType: Directory}
        - {name: log, hostPath: /var/log/kubernetes, mountPath: /var/log/kubernetes, readOnly: false, pathType: DirectoryOrCreate}
`, 1), nil
}

// handRequests are what the script's programs asked of both clusters, since a time: what kind itself did before isn't a person's.
func (c *containers) handRequests(ctx context.Context, since time.Time) (management, workload int, err error) {
	boot, err := os.ReadFile(filepath.Join(c.folder, "boot-audit.log")) // The script saved it before it deleted the cluster.
	if err != nil {
		return 0, 0, err
	}
	node, err := output(ctx, "docker", "ps", "-q", "--filter", "label=io.x-k8s.kind.cluster=prod", "--filter", "label=io.x-k8s.kind.role=control-plane")
	if err != nil {
		return 0, 0, err
	}
	prod, err := output(ctx, "docker", "exec", strings.TrimSpace(node), "cat", nodeAuditLog)
	if err != nil {
		return 0, 0, err
	}
	if management, err = countPeople(string(boot), since); err != nil {
		return 0, 0, err
	}
	workload, err = countPeople(prod, since)
	return management, workload, err
}

// countPeople counts the requests of clusterctl and kubectl in an audit log; Cluster API's controllers have the same kubeconfig.
func countPeople(log string, since time.Time) (int, error) {
	count := 0
	lines := bufio.NewScanner(strings.NewReader(log))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e struct {
			Stage, UserAgent         string
			RequestReceivedTimestamp time.Time
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return 0, fmt.Errorf("read audit log: %w", err)
		}
		program, _, _ := strings.Cut(e.UserAgent, "/")
		if e.Stage == "ResponseComplete" && !e.RequestReceivedTimestamp.Before(since) && (program == "clusterctl" || program == "kubectl") {
			count++
		}
	}
	return count, lines.Err()
}
