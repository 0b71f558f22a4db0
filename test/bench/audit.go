// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// auditPolicy has every request noted, whatever it is.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

// audited makes a folder with the control plane's programs whose API server writes an audit log: instead of the program
// there is a script that becomes it, with more arguments. Nothing of clusterctl knows.
func (b *bench) audited() (assets, log string, err error) {
	assets = filepath.Join(b.dir, "audited")
	log = filepath.Join(assets, "audit.log")
	if err := os.MkdirAll(assets, 0o700); err != nil {
		return "", "", err
	}
	policy := filepath.Join(assets, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return "", "", err
	}
	for _, program := range []string{"etcd", "kube-controller-manager"} {
		if err := os.Symlink(filepath.Join(b.parts.kube, program), filepath.Join(assets, program)); err != nil {
			return "", "", err
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\" --audit-policy-file=%q --audit-log-path=%q --audit-log-mode=blocking\n",
		filepath.Join(b.parts.kube, "kube-apiserver"), policy, log)
	return assets, log, os.WriteFile(filepath.Join(assets, "kube-apiserver"), []byte(script), 0o700)
}

// request is one request as the API server has it.
type request struct {
	verb, uri, resource, object string
	code                        int
	at                          time.Time
}

func (r request) dryRun() bool { return strings.Contains(r.uri, "dryRun=") }

// write says whether the request was to change something that is stored.
func (r request) write() bool {
	switch r.verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return !r.dryRun() && !strings.HasSuffix(r.resource, "reviews")
	}
	return false
}

// discovery of one group version, which clusterctl asks for until the kinds of new CRDs are served.
var groupVersion = regexp.MustCompile(`^/apis/[^/]+/[^/?]+(\?|$)`)

func (r request) discovery() bool { return groupVersion.MatchString(r.uri) }

// ourAgent is how the command line calls itself; the process that keeps the bootstrap cluster running, and says what platform it is for, is another client.
var ourAgent = regexp.MustCompile(`^clusterctl/\S+$`)

// readAudit reads the requests of the command line that an API server got in a time.
func readAudit(file string, from, to time.Time) ([]request, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []request
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e struct {
			Stage, Verb, RequestURI, UserAgent string
			RequestReceivedTimestamp           time.Time
			ObjectRef                          struct{ Resource, Namespace, Name, APIGroup string }
			ResponseStatus                     struct{ Code int }
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read audit log: %w", err)
		}
		at := e.RequestReceivedTimestamp
		if e.Stage != "ResponseComplete" || !ourAgent.MatchString(e.UserAgent) || at.Before(from) || at.After(to) {
			continue
		}
		ref := e.ObjectRef
		out = append(out, request{
			verb: e.Verb, uri: e.RequestURI, resource: ref.Resource, code: e.ResponseStatus.Code, at: at,
			object: strings.Join([]string{ref.Resource, ref.APIGroup, ref.Namespace, ref.Name}, "/"),
		})
	}
	return out, lines.Err()
}
