// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// TestExistingLocal bootstraps from a cluster that was there before, a control plane of processes: it comes out as it went in.
func TestExistingLocal(t *testing.T) {
	h := newHome(t)
	h.must(t, "create", "bootstrap", "lab")
	lab, ports := h.management("lab"), h.ports("lab")
	before := settled(t, lab)
	args := []string{
		"create", "cluster", "demo", "-n", "pond", "--bootstrap-kubeconfig", lab, "--infrastructure", "docker", "--flavor", "in-memory",
		"--worker-machine-count", "1", "--progress", "json",
	}
	h.killIn(t, "providers", 2*time.Second, args...)
	h.must(t, args...)
	r := h.must(t, "delete", "cluster", "demo", "-n", "pond", "--yes")
	if !strings.Contains(r.err, "that were installed there are removed again") {
		t.Errorf("delete doesn't say what became of the management cluster:\n%s", tail(r.err))
	}
	wantSame(t, lab, before)
	h.must(t, "delete", "bootstrap", "lab", "--yes")
	h.wantNothingLeft(t, ports)
}

// TestExistingKind bootstraps from a kind cluster that was there before, with the first clusterctl's files and cert-manager, and has the pivot
// fail in three ways before it works: nothing is lost, and the message says where everything is. The audit logs of both API servers witness
// that the controllers never worked side by side. The way back is over the same kind cluster, which comes out as it went in, twice.
func TestExistingKind(t *testing.T) {
	e := newEngine(t)
	h := newHome(t)
	e.use(t, h)
	e.useCertManager(t, h)
	outside := e.everything(t)
	x := e.existing(t, h)
	before := settled(t, x.lab)

	t.Run("cert-manager's images can't be had", x.noImages)
	h.killIn(t, "pivot", 0, x.create()...)
	began := time.Now()
	t.Run("no memory for pods", x.noMemory)
	t.Run("the target's webhook is down", x.webhookDown)
	t.Run("network cut", x.networkCut)
	if t.Failed() {
		return
	}
	r := h.must(t, x.create("-o", "json")...)
	t.Logf("after three failures: %.0f s", r.took.Seconds())
	wantRequests(t, r.out)
	if got := machines(t, x.target); len(got) != 2 || !strings.Contains(got["prod-worker"], "prod-worker") {
		t.Errorf("machines %v, want the first one and the worker that waited for the pivot", got)
	}
	wantNodes(t, x.target, 2)
	wantCertificates(t, x.target)
	wantSame(t, x.lab, before)
	wantHandover(t, containerChanges(t, x.node, began), containerChanges(t, x.controlPlane(t), began))

	x.manageOther(t)
	remove := []string{"delete", "cluster", "prod", "--kubeconfig", x.target, "--bootstrap-kubeconfig", x.lab, "--yes"}
	h.wantFailure(t, 4, []string{"default/other", "--all"}, remove...)
	h.must(t, append(remove, "--all")...)
	wantSame(t, x.lab, before)
	h.must(t, "delete", "bootstrap", "lab", "--type", "kind", "--yes")
	e.wantEverything(t, outside)
	h.wantNothingLeft(t, nil) // not what the moves kept either
}

// wantRequests looks whether a summary has more than what the connections of after the pivot sent: those make about six requests.
func wantRequests(t *testing.T, summary string) {
	t.Helper()
	var s struct{ ManagementRequests, WorkloadRequests int }
	if err := json.Unmarshal([]byte(summary), &s); err != nil {
		t.Fatalf("%v: %s", err, summary)
	}
	t.Logf("requests: %d to the management cluster, %d to the new one", s.ManagementRequests, s.WorkloadRequests)
	if s.ManagementRequests < 50 || s.WorkloadRequests < 50 {
		t.Errorf("%d and %d requests, far less than were sent", s.ManagementRequests, s.WorkloadRequests)
	}
}

// existing is a kind cluster that is used as an existing one, and the cluster that is made from it.
type existing struct {
	h      *home
	engine *engine
	files  string // the folder with its objects
	config string // the kind cluster's
	lab    string // kubeconfig
	node   string // its container
	target string // kubeconfig of the cluster
}

func (e *engine) existing(t *testing.T, h *home) *existing {
	t.Helper()
	policy, config := filepath.Join(h.dir, "policy.yaml"), filepath.Join(h.dir, "kind.yaml")
	writeFile(t, policy, auditPolicy)
	text, err := os.ReadFile(testdata(t, "existing/kind.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, config, strings.ReplaceAll(string(text), "@POLICY@", policy))
	h.setenv("AUDIT_POLICY", strconv.Quote(auditPolicy))
	x := &existing{h: h, engine: e, files: testdata(t, "existing"), config: config, target: filepath.Join(h.dir, "prod.kubeconfig")}
	x.load(t, e.images)
	found := h.items(t, "get", "bootstraps")
	nodes, _ := found[0]["nodes"].([]any)
	x.lab, x.node = found[0]["kubeconfig"].(string), nodes[0].(string)
	return x
}

// create is the command that is given again and again.
func (x *existing) create(more ...string) []string {
	return append([]string{
		"create", "cluster", "prod", "-c", filepath.Join(x.files, "cluster.yaml"), "-m", filepath.Join(x.files, "machines.yaml"), "-a", x.engine.cni, "--kubeconfig-out", "prod.kubeconfig",
		"--bootstrap-kubeconfig", x.lab, "--infrastructure", "docker", "--webhook-certs", "cert-manager", "--pivot", "--progress", "json",
	}, more...)
}

// noImages has nobody who could give the images of cert-manager: the wait for it says so. Then they come.
func (x *existing) noImages(t *testing.T) {
	r := x.h.run(t, x.create("--timeout", "60s")...)
	if r.code == 0 {
		t.Fatalf("it worked:\n%s", tail(r.err))
	}
	for _, w := range []string{"wait for cert-manager: ", "cert-manager-webhook", "Pull", "let the nodes reach that registry"} {
		if !strings.Contains(lastLine(r.err), w) {
			t.Errorf("the error doesn't say %q:\n%s", w, lastLine(r.err))
		}
	}
	t.Logf("exit code %d after %.0f s: %s", r.code, r.took.Seconds(), lastLine(r.err))
	x.load(t, append(slices.Clone(x.engine.images), x.engine.certManager...))
}

// load loads images into the kind cluster.
func (x *existing) load(t *testing.T, images []string) {
	t.Helper()
	x.h.must(t, "create", "bootstrap", "lab", "--type", "kind", "--mount-engine-socket", "--kind-image", nodeImage, "--kind-config", x.config,
		"--load-images", strings.Join(images, ","))
}

// wantCertificates wants a cluster to have its webhook certificates from cert-manager.
func wantCertificates(t *testing.T, kubeconfig string) {
	t.Helper()
	list, err := connect(t, kubeconfig).Resource(schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificates"}).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) < 4 {
		t.Errorf("%d certificates, want one a provider", len(list.Items))
	}
	for _, c := range list.Items {
		if s := conditionStatus(&c, "Ready"); s != "True" {
			t.Errorf("Certificate %s/%s: Ready is %q", c.GetNamespace(), c.GetName(), s)
		}
	}
}

// conditionStatus is the status of a condition, "" where there is none.
func conditionStatus(u *unstructured.Unstructured, name string) string {
	conds, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conds {
		if m, _ := c.(map[string]any); m["type"] == name {
			s, _ := m["status"].(string)
			return s
		}
	}
	return ""
}

// wantKept runs the command and wants it to end in the pivot, with words in its error, and everything of the cluster on the bootstrap
// cluster still.
func (x *existing) wantKept(t *testing.T, r result, words ...string) {
	t.Helper()
	if r.code == 0 {
		t.Fatalf("the pivot worked:\n%s", tail(r.err))
	}
	for _, w := range append(words, "step pivot: ", "nothing is lost", "stays until the cluster manages itself", "clusterctl create cluster prod") {
		if !strings.Contains(r.err, w) {
			t.Errorf("the error doesn't say %q:\n%s", w, tail(r.err))
		}
	}
	t.Logf("exit code %d after %.0f s: %s", r.code, r.took.Seconds(), lastLine(r.err))
	if got := machines(t, x.lab); len(got) != 1 {
		t.Errorf("machines on the bootstrap cluster: %v", got)
	}
}

// lastLine is where a run with --progress json says how it ended.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndex(text, "\n")+1:]
}

// webhookDown has a webhook on the target that nobody answers for.
func (x *existing) webhookDown(t *testing.T) {
	hooks := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}
	x.put(t, hooks, "", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: policy}
webhooks:
- name: policy.pond.example
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules: [{apiGroups: [cluster.x-k8s.io], apiVersions: ["*"], resources: [machines], operations: [CREATE]}]
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
  timeoutSeconds: 2
`)
	x.wantKept(t, x.h.run(t, x.create("--timeout", "45s")...), "policy.pond.example")
	if err := connect(t, x.target).Resource(hooks).Delete(t.Context(), "policy", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// noMemory lets the core provider's pods ask for more memory than there is on the target.
func (x *existing) noMemory(t *testing.T) {
	limits := schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}
	x.put(t, limits, "capi-system", `
apiVersion: v1
kind: LimitRange
metadata: {name: greedy}
spec: {limits: [{type: Container, default: {memory: 500Gi}, defaultRequest: {memory: 500Gi}}]}
`)
	x.wantKept(t, x.h.run(t, x.create("--timeout", "45s")...), "capi-controller-manager", "Insufficient memory")
	c := connect(t, x.target)
	if err := c.Resource(limits).Namespace("capi-system").Delete(t.Context(), "greedy", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	if err := c.Resource(pods).Namespace("capi-system").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

// networkCut has the load balancer of the target stand still in the middle of the move.
func (x *existing) networkCut(t *testing.T) {
	p := x.h.start(t, x.create("--timeout", "60s")...)
	p.until(t, "start", "pivot")
	if out, err := exec.Command("docker", "pause", "prod-lb").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	r := p.wait(t)
	if out, err := exec.Command("docker", "unpause", "prod-lb").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	x.wantKept(t, r)
}

// controlPlane is the container of the control plane's machine.
func (x *existing) controlPlane(t *testing.T) string {
	t.Helper()
	for name, what := range machines(t, x.target) {
		if name != "prod-worker" {
			_, node, _ := strings.Cut(what, " ")
			return node
		}
	}
	t.Fatal("no control plane machine")
	return ""
}

// manageOther gives the cluster another one to manage.
func (x *existing) manageOther(t *testing.T) {
	t.Helper()
	x.put(t, capi("infrastructure", "devclusters"), "default", `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DevCluster
metadata: {name: other}
spec: {backend: {inMemory: {}}}
`)
	x.put(t, capi("", "clusters"), "default", `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: other}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DevCluster, name: other}
`)
}

// put creates an object on the target.
func (x *existing) put(t *testing.T, gvr schema.GroupVersionResource, namespace, text string) {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	wait(t, time.Minute, func() string {
		if _, err := connect(t, x.target).Resource(gvr).Namespace(namespace).Create(t.Context(), u, metav1.CreateOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
}

// containerChanges reads the audit log of the API server in a node's container.
func containerChanges(t *testing.T, node string, since time.Time) []change {
	t.Helper()
	out, err := exec.Command("docker", "exec", node, "cat", "/var/log/kubernetes/audit.log").Output()
	if err != nil {
		t.Fatalf("audit log of %s: %v", node, err)
	}
	return readChanges(t, strings.NewReader(string(out)), since)
}

// wantSame wants a cluster to hold what it held before: the same objects, none more, none less.
func wantSame(t *testing.T, kubeconfig string, before []string) {
	t.Helper()
	wait(t, time.Minute, func() string {
		now := everythingOn(t, kubeconfig)
		for _, o := range now {
			if !slices.Contains(before, o) {
				return "new on the management cluster: " + o
			}
		}
		for _, o := range before {
			if !slices.Contains(now, o) {
				return "gone from the management cluster: " + o
			}
		}
		return ""
	})
}
