// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// world is what the documents of testdata/blockers/NAME.yaml make; the golden file says what Blockers makes of it.
func TestBlockers(t *testing.T) {
	for _, name := range []string{
		"paused", "no-infrastructure", "infrastructure-condition", "infrastructure-not-served", "class-missing",
		"machine-infrastructure", "machine-bootstrap", "control-plane-old-shape", "workers-blocked", "node-unhealthy",
		"machine-failed", "machine-failed-remediated", "deleting-machines", "topology-fails",
	} {
		t.Run(name, func(t *testing.T) {
			c, ns := server(t, "blockers")
			doc := in(ns, fixture(t, "blockers/"+name+".yaml"))
			env.Seed(t, doc)
			logs := func(_ context.Context, namespace, deployment string, _ int) ([]string, error) {
				return []string{
					`E0101 00:00:00.000000 1 controller.go:1] "Reconciler error" err="no water" namespace="` + namespace + `" name="somebody-else"`,
					`E0101 00:00:01.000000 1 controller.go:1] "Reconciler error" err="` + deployment + ` can't reach the pond" name="heron"`,
					`I0101 00:00:02.000000 1 controller.go:1] "All is well"`,
				}, nil
			}
			got, err := Blockers(deadline(t, 10*time.Second), c, key(ns, "heron"), BlockerOptions{Logs: logs})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "blockers/"+name, ns, describe(got))
		})
	}
}

// describe writes blockers with both of their texts; the age of conditions is far in the future and thus left out.
func describe(blockers []Blocker) string {
	var lines []string
	for _, b := range blockers {
		line := "> " + b.String()
		if b.Terminal {
			line += " [terminal]"
		}
		lines = append(append(lines, line), b.Lines(time.Now())...)
	}
	return strings.Join(lines, "\n")
}

func TestBlockersOfAnAvailableCluster(t *testing.T) {
	c, ns := server(t, "blockers-none")
	env.Seed(t, in(ns, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: NS}
status: {conditions: [{type: Available, status: "True", reason: Available, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}]}`))
	got, err := Blockers(t.Context(), c, key(ns, "heron"), BlockerOptions{})
	if err != nil || len(got) != 0 {
		t.Errorf("blockers %v, error %v", got, err)
	}
	if _, err := Blockers(t.Context(), c, key(ns, "nobody"), BlockerOptions{}); !isNotFound(err) {
		t.Errorf("error %v, want NotFound", err)
	}
}

// What a message says can be long, and it can have many lines.
func TestBlockerTextIsBounded(t *testing.T) {
	t.Parallel()
	b := Blocker{Kind: "Machine", Name: "m0", Condition: "Ready", Reason: "NotReady", Message: strings.Repeat("* no water\n", 500)}
	if s := b.String(); strings.Contains(s, "\n") || len([]rune(s)) > shortText || !strings.HasPrefix(s, "Machine m0: Ready NotReady: no water; no water") {
		t.Errorf("%q", s)
	}
	for _, line := range b.Lines(time.Now()) {
		if strings.Contains(line, "\n") || len([]rune(line)) > longText {
			t.Errorf("%q", line)
		}
	}
}

func TestBlockersSayForHowLong(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	b := Blocker{Kind: "Machine", Name: "m0", Message: "no water", Since: now.Add(-90 * time.Second)}
	if got, want := b.Lines(now)[0], "Machine m0: no water (for 1m30s)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEvidenceSurvivesLogErrors(t *testing.T) {
	c, ns := server(t, "evidence")
	env.Seed(t, in(ns, fixture(t, "blockers/infrastructure-condition.yaml")))
	logs := func(context.Context, string, string, int) ([]string, error) { return nil, fmt.Errorf("no such log") }
	got, err := Blockers(t.Context(), c, key(ns, "heron"), BlockerOptions{Logs: logs})
	if err != nil || len(got) == 0 || got[0].LogLine != "" {
		t.Errorf("blockers %+v, error %v", got, err)
	}
}

func TestListAndFind(t *testing.T) {
	c, ns := server(t, "list")
	env.Seed(t, in(ns, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: gull, namespace: NS}
spec: {topology: {classRef: {name: waterfowl}, version: v1.34.1}}
status: {phase: Provisioned}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: auk, namespace: NS}
spec: {controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: ReedControlPlane, name: auk}}
---
apiVersion: controlplane.cluster.x-k8s.io/v1
kind: ReedControlPlane
metadata: {name: auk, namespace: NS}
spec: {version: v1.33.0}`))
	before := c.Requests()
	got, err := List(t.Context(), c, ns)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range got {
		lines = append(lines, strings.Join([]string{s.Name, s.Phase, s.ClassName, s.Version}, " "))
	}
	if text := strings.Join(lines, "; "); text != "auk   v1.33.0; gull Provisioned waterfowl v1.34.1" {
		t.Errorf("%q", text)
	}
	if n := c.Requests().ByVerb["list"] - before.ByVerb["list"]; n != 2 {
		t.Errorf("%d LISTs, want 2", n)
	}
	if where, err := Find(t.Context(), c, "gull"); err != nil || len(where) != 1 || where[0] != ns {
		t.Errorf("found in %v, error %v", where, err)
	}
}

func TestMissingClasses(t *testing.T) {
	c, ns := server(t, "classes")
	class := "apiVersion: cluster.x-k8s.io/v1beta2\nkind: ClusterClass\nmetadata: {name: waterfowl, namespace: " + ns + "}\n"
	use := func(name string) string {
		return "---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: " + name + "}\nspec: {topology: {classRef: {name: " + name + "}}}\n"
	}
	env.Seed(t, class)
	objs := parse(t, "f.yaml", use("waterfowl")+use("songbird")+use("raptor")+use("songbird")+
		"---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: ClusterClass\nmetadata: {name: raptor}\n")
	for name, tc := range map[string]struct {
		c    *kube.Client
		want string
	}{"with a cluster": {c, "[" + ns + "/songbird]"}, "without": {nil, "[" + ns + "/waterfowl " + ns + "/songbird]"}} {
		got, err := MissingClasses(t.Context(), tc.c, objs, ns)
		if err != nil || fmt.Sprint(got) != tc.want {
			t.Errorf("%s: %v, error %v, want %s", name, got, err, tc.want)
		}
	}
}

func TestLastEventPrefersWarnings(t *testing.T) {
	c, ns := server(t, "events")
	env.Seed(t, in(ns, fixture(t, "blockers/infrastructure-condition.yaml")))
	gvk := schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1", Kind: "PondCluster"}
	pond, err := c.Get(t.Context(), gvk, ns, "heron")
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]string{"early": "Warning", "late": "Normal"} {
		seen := map[string]string{"early": "2030-01-01T00:00:00Z", "late": "2030-01-01T01:00:00Z"}[name]
		env.Seed(t, `
apiVersion: v1
kind: Event
metadata: {name: `+name+`, namespace: `+ns+`}
involvedObject: {kind: PondCluster, name: heron, namespace: `+ns+`, uid: `+string(pond.GetUID())+`}
type: `+kind+`
reason: Tap`+kind+`
message: "the tap\nsays `+name+`"
lastTimestamp: "`+seen+`"`)
	}
	got, err := Blockers(t.Context(), c, key(ns, "heron"), BlockerOptions{})
	if err != nil || len(got) == 0 {
		t.Fatalf("blockers %v, error %v", got, err)
	}
	if want := "Warning TapWarning: the tap; says early"; got[0].LastEvent != want {
		t.Errorf("%q, want %q", got[0].LastEvent, want)
	}
}
