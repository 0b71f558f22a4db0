// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const clusterCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.cluster.x-k8s.io}
spec:
  group: cluster.x-k8s.io
  names: {kind: Cluster, listKind: ClusterList, plural: clusters, singular: cluster}
  scope: Namespaced
  versions:
  - name: v1beta2
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// clusterDoc and secretDoc are objects of namespace/name, more is appended.
func clusterDoc(namespace, name, more string) string {
	return fmt.Sprintf("---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: %s, namespace: %s}\n%s\n", name, namespace, more)
}

func secretDoc(namespace, name, data string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: %s}\ntype: Opaque\n%s\n", name, namespace, data)
}

func value(text string) string { return "data: {value: " + b64([]byte(text)) + "}" }

func labelled(doc, cluster string) string {
	return strings.Replace(doc, "metadata: {", "metadata: {labels: {cluster.x-k8s.io/cluster-name: "+cluster+"}, ", 1)
}

func good(name string) string { return sample(name, "https://"+name+":6443", "s3cret") }

func objects() string {
	var b strings.Builder
	add := func(docs ...string) { b.WriteString(strings.Join(docs, "")) }
	add(clusterDoc("team-a", "plain", ""), secretDoc("team-a", "plain-kubeconfig", value(good("plain"))))
	add(clusterDoc("team-a", "otherkey", ""), secretDoc("team-a", "otherkey-kubeconfig", "stringData: {super-admin.conf: s3cret, admin.conf: s3cret}"))
	add(clusterDoc("team-a", "nokeys", ""), secretDoc("team-a", "nokeys-kubeconfig", ""))
	add(clusterDoc("team-a", "blank", ""), secretDoc("team-a", "blank-kubeconfig", "data: {value: Cg==}"))
	add(clusterDoc("team-a", "twice", ""), secretDoc("team-a", "twice-kubeconfig", value(b64([]byte(good("twice"))))))
	add(clusterDoc("team-a", "noise", ""), secretDoc("team-a", "noise-kubeconfig", value("s3cret")))
	add(clusterDoc("team-a", "nocontext", ""), secretDoc("team-a", "nocontext-kubeconfig", value("kind: Config")))
	add(clusterDoc("team-a", "noserver", ""), secretDoc("team-a", "noserver-kubeconfig", value(strings.Replace(good("noserver"), "https://noserver:6443", "''", 1))))
	add(clusterDoc("team-a", "early", "status: {phase: Provisioning, conditions: [{type: InfrastructureReady, status: 'False', message: still building}]}"))
	add(clusterDoc("team-a", "fresh", ""))
	add(clusterDoc("team-a", "paused", "spec: {paused: true}"))
	add(strings.Replace(clusterDoc("team-a", "leaving", ""), "metadata: {", "metadata: {finalizers: [test/keep], annotations: {seed/delete: ''}, ", 1))
	add(secretDoc("team-a", "gone-kubeconfig", value(good("gone"))))
	add(clusterDoc("team-b", "heron", ""), clusterDoc("team-b", "otter", ""), clusterDoc("team-c", "otter", ""))
	// What the EKS provider writes: both, the one for people labelled with NAME-user.
	add(clusterDoc("team-a", "eks", ""), labelled(secretDoc("team-a", "eks-kubeconfig", value(good("eks"))), "eks"))
	add(labelled(secretDoc("team-a", "eks-user-kubeconfig", value(good("eks-for-people"))), "eks-user"))
	// A cluster whose name ends in -user beside one without.
	add(clusterDoc("team-a", "app", ""), secretDoc("team-a", "app-kubeconfig", value(good("app"))))
	add(clusterDoc("team-a", "app-user", ""), labelled(secretDoc("team-a", "app-user-kubeconfig", value(good("app-user"))), "app-user"))
	// Labelled as it should be.
	add(clusterDoc("team-a", "aks", ""), secretDoc("team-a", "aks-kubeconfig", value(good("aks"))))
	add(labelled(secretDoc("team-a", "aks-user-kubeconfig", value(good("aks-for-people"))), "aks"))
	add("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: empty}\n")
	add(rights)
	return b.String()
}

const rights = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: one-secret, namespace: team-a}
rules:
- {apiGroups: [""], resources: [secrets], resourceNames: [plain-kubeconfig, app-kubeconfig, app-user-kubeconfig], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: one-secret, namespace: team-a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: one-secret}
subjects: [{kind: User, name: sue, apiGroup: rbac.authorization.k8s.io}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: all-here, namespace: team-a}
rules:
- {apiGroups: ["", cluster.x-k8s.io], resources: [secrets, clusters], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: all-here, namespace: team-a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: all-here}
subjects: [{kind: User, name: tom, apiGroup: rbac.authorization.k8s.io}]
`

func connect(t *testing.T, config *rest.Config) *kube.Client {
	t.Helper()
	c, err := kube.New(config, kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestFetch(t *testing.T) {
	t.Parallel()
	env := testenv.Start(t)
	_, err := Fetch(t.Context(), connect(t, env.REST), FetchOptions{Namespace: "default", Name: "plain"})
	if !errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), env.REST.Host) {
		t.Errorf("without Cluster API: got %v", err)
	}
	env.Seed(t, clusterCRD, objects())
	t.Run("good", func(t *testing.T) { fetchGood(t, env) })
	t.Run("bad", func(t *testing.T) { fetchBad(t, env) })
	t.Run("rights", func(t *testing.T) { fetchRights(t, env) })
	t.Run("wait", func(t *testing.T) { fetchWait(t, env) })
	env.Kill(t)
	_, err = Fetch(t.Context(), connect(t, env.REST), FetchOptions{Namespace: "team-a", Name: "plain"})
	if !errors.Is(err, kube.ErrUnreachable) || !strings.Contains(err.Error(), env.REST.Host) {
		t.Errorf("without a server: got %v", err)
	}
}

func fetchGood(t *testing.T, env *testenv.Env) {
	tests := []struct {
		name     string
		internal bool
		secret   string
		want     string
		gets     int // beside discovery, which a Client does once
	}{
		{"plain", false, "plain-kubeconfig", "plain", 2},
		{"plain", true, "plain-kubeconfig", "plain", 1},
		{"gone", false, "gone-kubeconfig", "gone", 2}, // the Cluster doesn't exist any more
		{"eks", false, "eks-user-kubeconfig", "eks-for-people", 2},
		{"eks", true, "eks-kubeconfig", "eks", 1},
		{"aks", false, "aks-user-kubeconfig", "aks-for-people", 1},
		{"app", false, "app-kubeconfig", "app", 3},
		{"app-user", false, "app-user-kubeconfig", "app-user", 2},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s internal=%v", tt.name, tt.internal), func(t *testing.T) {
			c := connect(t, env.REST)
			k, err := Fetch(t.Context(), c, FetchOptions{Namespace: "team-a", Name: tt.name, Internal: tt.internal})
			if err != nil {
				t.Fatal(err)
			}
			if string(k.Raw) != good(tt.want) || k.Secret != tt.secret || k.Namespace != "team-a" {
				t.Errorf("got %s/%s with %s", k.Namespace, k.Secret, k.Server())
			}
			if sent := c.Requests(); sent.Total-sent.ByVerb["discovery"] != tt.gets || sent.ByVerb["discovery"] > 2 {
				t.Errorf("%s requests, want %d get", sent, tt.gets)
			}
		})
	}
}

func fetchBad(t *testing.T, env *testenv.Env) {
	tests := []struct {
		name, namespace, cluster string
		is                       error
		code                     fault.Code
		says                     string // a regular expression
		hint                     string
	}{
		{"other keys", "team-a", "otherkey", ErrMalformed, fault.Failed, `secret team-a/otherkey-kubeconfig: key "value" is missing, it has admin.conf, super-admin.conf`, "provider"},
		{"no keys", "team-a", "nokeys", ErrMalformed, fault.Failed, `nokeys-kubeconfig: key "value" is missing, it has no keys at all`, "provider"},
		{"a line break", "team-a", "blank", ErrMalformed, fault.Failed, `blank-kubeconfig: .*empty`, "provider"},
		{"encoded twice", "team-a", "twice", ErrMalformed, fault.Failed, `twice-kubeconfig: not a kubeconfig: .*base64-encoded twice`, "provider"},
		{"something else", "team-a", "noise", ErrMalformed, fault.Failed, `noise-kubeconfig: not a kubeconfig`, "provider"},
		{"no current-context", "team-a", "nocontext", ErrMalformed, fault.Failed, `no current-context`, "provider"},
		{"no server", "team-a", "noserver", ErrMalformed, fault.Failed, `no server`, "provider"},
		{"too early", "team-a", "early", ErrNotReady, fault.Timeout, `cluster team-a/early exists, but its kubeconfig secret early-kubeconfig is not there yet \(phase Provisioning; infrastructure not ready: still building\)`, "--wait"},
		{"no phase", "team-a", "fresh", ErrNotReady, fault.Timeout, `not there yet \(no phase yet`, "--wait"},
		{"paused", "team-a", "paused", ErrNotReady, fault.Timeout, `the cluster is paused`, "--wait"},
		{"on its way out", "team-a", "leaving", ErrNotReady, fault.Failed, `is being deleted`, ""},
		{"nowhere", "team-a", "nosuch", ErrNoCluster, fault.Failed, `^no cluster "nosuch" in namespace team-a, which holds aks, app, .*and 8 more$`, "get clusters -A"},
		{"nothing there", "empty", "nosuch", ErrNoCluster, fault.Failed, `^no cluster "nosuch" in namespace empty$`, "get clusters -A"},
		{"elsewhere", "team-a", "heron", ErrNoCluster, fault.Failed, `^no cluster "heron" in namespace team-a, but there is one in namespace team-b$`, "clusterctl get kubeconfig heron -n team-b"},
		{"in two places", "team-a", "otter", ErrNoCluster, fault.Failed, `^no cluster "otter" in namespace team-a, .* team-b, team-c$`, "-n team-b or -n team-c"},
		{"no namespace", "nowhere", "nosuch", ErrNoNamespace, fault.Failed, `namespace "nowhere" does not exist`, "get clusters -A"},
		{"no namespace, but elsewhere", "nowhere", "heron", ErrNoNamespace, fault.Failed, `"nowhere" does not exist, but there is one in namespace team-b`, "-n team-b"},
		{"a name that can't be", "team-a", "a/b", nil, fault.Usage, `cluster name "a/b"`, ""},
		{"no name", "team-a", "", nil, fault.Usage, `cluster name ""`, ""},
		{"a namespace that can't be", "..", "plain", nil, fault.Usage, `namespace ".."`, ""},
	}
	c := connect(t, env.REST)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Fetch(t.Context(), c, FetchOptions{Namespace: tt.namespace, Name: tt.cluster})
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || fault.CodeOf(err) != tt.code {
				t.Fatalf("got %v (code %d), want %v (code %d)", err, fault.CodeOf(err), tt.is, tt.code)
			}
			if !regexp.MustCompile(tt.says).MatchString(err.Error()) {
				t.Errorf("%q does not say %q", err, tt.says)
			}
			if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, tt.hint) {
				t.Errorf("hints %q, want %q", hints, tt.hint)
			}
			if strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q tells a secret, or takes more than a line", err)
			}
		})
	}
}

func fetchRights(t *testing.T, env *testenv.Env) {
	sue, tom, nobody := env.User(t, "sue"), env.User(t, "tom"), env.User(t, "nobody")
	tests := []struct {
		name    string
		who     *rest.Config
		cluster string
		server  string // of what is found
		is      error
		says    string
		said    string
	}{
		{"may read just what is needed", sue, "plain", "https://plain:6443", nil, "", ""},
		{"can't tell whose the other secret is", sue, "app", "https://app:6443", nil, "", "app-user-kubeconfig is left alone"},
		{"may read nothing", nobody, "plain", "", ErrForbidden, `User "nobody" cannot get resource "secrets"`, ""},
		{"no secret, no right to see why", sue, "early", "", ErrForbidden, `cannot get resource`, ""},
		{"may not look elsewhere", tom, "heron", "", ErrNoCluster, `no rights to look into other namespaces`, ""},
		{"may see that it is early", tom, "early", "", ErrNotReady, "Provisioning", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sink, said := notes()
			k, err := Fetch(t.Context(), connect(t, tt.who), FetchOptions{Namespace: "team-a", Name: tt.cluster, Sink: sink})
			if !errors.Is(err, tt.is) || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v, want %v %q", err, tt.is, tt.says)
			}
			if err == nil && k.Server() != tt.server {
				t.Errorf("got the one of %s", k.Server())
			}
			if !strings.Contains(said(), tt.said) || tt.said == "" && said() != "" {
				t.Errorf("said %q, want %q", said(), tt.said)
			}
			if err != nil && len(fault.Hints(err)) == 0 {
				t.Errorf("no hint: %v", err)
			}
		})
	}
}

func fetchWait(t *testing.T, env *testenv.Env) {
	c := connect(t, env.REST)
	fetch := func(cluster string, limit time.Duration) (*Kubeconfig, string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		sink, said := notes()
		k, err := Fetch(ctx, c, FetchOptions{Namespace: "team-a", Name: cluster, Wait: true, Sink: sink})
		return k, said(), err
	}
	if _, said, err := fetch("early", 300*time.Millisecond); fault.CodeOf(err) != fault.Timeout ||
		!strings.Contains(err.Error(), "early-kubeconfig is not there yet (phase Provisioning") || !strings.Contains(said, "phase Provisioning") {
		t.Errorf("in vain: %v, said %q", err, said)
	}
	began := time.Now()
	for cluster, want := range map[string]error{"nosuch": ErrNoCluster, "noise": ErrMalformed, "leaving": ErrNotReady} {
		if _, _, err := fetch(cluster, time.Minute); !errors.Is(err, want) {
			t.Errorf("%s can't heal: %v", cluster, err)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("waited %s for what can't heal", took)
	}
	time.AfterFunc(500*time.Millisecond, func() {
		env.Seed(t, secretDoc("team-a", "early-kubeconfig", value(good("early"))))
	})
	if k, _, err := fetch("early", time.Minute); err != nil || k.Server() != "https://early:6443" {
		t.Errorf("comes in time: %v", err)
	}
}
