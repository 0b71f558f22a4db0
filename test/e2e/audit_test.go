// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// auditPolicy keeps every change of Cluster API's objects, once, when it is answered.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
  resources:
  - group: cluster.x-k8s.io
  - group: controlplane.cluster.x-k8s.io
  - group: bootstrap.cluster.x-k8s.io
  - group: infrastructure.cluster.x-k8s.io
- level: None
`

// audited has the API servers of a user's local bootstrap clusters keep audit logs.
func (h *home) audited(t *testing.T) {
	t.Helper()
	dir := filepath.Join(h.dir, "audited")
	writeFile(t, filepath.Join(dir, "policy.yaml"), auditPolicy)
	for _, name := range []string{"etcd", "kube-controller-manager"} {
		if err := os.Symlink(filepath.Join(shared.assets, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	server := filepath.Join(dir, "kube-apiserver")
	writeFile(t, server, fmt.Sprintf("#!/bin/sh\nexec %s/kube-apiserver \"$@\" --audit-policy-file=%s/policy.yaml --audit-log-path=%s/$$.log\n", shared.assets, dir, dir))
	if err := os.Chmod(server, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	h.setenv("KUBEBUILDER_ASSETS", dir)
}

// change is one line of an audit log.
type change struct {
	Verb      string
	UserAgent string
	ObjectRef struct{ APIGroup, Resource, Namespace, Name string }
	Received  time.Time          `json:"requestReceivedTimestamp"`
	Answer    struct{ Code int } `json:"responseStatus"`
}

func (c change) String() string {
	return fmt.Sprintf("%s %s %s %s/%s by %s", c.Received.Format("15:04:05.000"), c.Verb, c.ObjectRef.Resource, c.ObjectRef.Namespace, c.ObjectRef.Name, c.UserAgent)
}

// byController says whether a provider's manager made it.
func (c change) byController() bool {
	return strings.Contains(c.UserAgent, "manager/") && !strings.HasPrefix(c.UserAgent, "kube-")
}

// changes reads the audit log of a bootstrap cluster: the changes that were carried out, since a time.
func (h *home) changes(t *testing.T, bootstrap string, since time.Time) []change {
	t.Helper()
	f, err := os.Open(filepath.Join(h.dir, "audited", fmt.Sprintf("%d.log", h.table(bootstrap).pid("kube-apiserver"))))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return readChanges(t, f, since)
}

// readChanges reads the changes of an audit log that were carried out, since a time.
func readChanges(t *testing.T, log io.Reader, since time.Time) []change {
	t.Helper()
	var out []change
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c change
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Answer.Code < 400 && c.Received.After(since) {
			out = append(out, c)
		}
	}
	return out
}

// wantHandover wants, by the logs of both API servers, that the source's controllers changed nothing any more from the first copy on, and
// that the target's controllers began after the source's had ended.
func wantHandover(t *testing.T, there, here []change) {
	t.Helper()
	var copied time.Time
	var lastThere, firstHere *change
	for i, c := range here {
		if c.Verb == "create" && !c.byController() && copied.IsZero() {
			copied = c.Received
		}
		if c.byController() && firstHere == nil {
			firstHere = &here[i]
		}
	}
	for i, c := range there {
		if c.byController() {
			lastThere = &there[i]
		}
	}
	switch {
	case copied.IsZero() || firstHere == nil:
		t.Errorf("the logs don't tell of a move: %d changes on the source, %d on the target", len(there), len(here))
		return
	case lastThere == nil:
		t.Logf("the source's controllers changed nothing since the move began")
		return
	case lastThere.Received.After(copied):
		t.Errorf("the source's controllers changed something after the first copy (%s): %s", copied.Format("15:04:05.000"), lastThere)
	case firstHere.Received.Before(lastThere.Received):
		t.Errorf("both sides' controllers worked at once: %s, and then %s", firstHere, lastThere)
	}
	t.Logf("last change by the source's controllers: %s; first by the target's: %s", lastThere, firstHere)
}
