// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// hookServer is a real webhook server: it admits, denies and converts.
type hookServer struct {
	*httptest.Server
	mu    sync.Mutex
	calls map[string]int
}

func startHooks(t *testing.T) *hookServer {
	t.Helper()
	s := newHooks()
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func newHooks() *hookServer {
	s := &hookServer{calls: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

func (s *hookServer) serve(w http.ResponseWriter, r *http.Request) {
	var review map[string]any
	data, _ := io.ReadAll(r.Body)
	err := json.Unmarshal(data, &review)
	s.mu.Lock()
	s.calls[either(review["kind"] == nil, "direct", r.URL.Path)]++
	s.mu.Unlock()
	if err != nil || review["kind"] == nil {
		http.Error(w, "not a review", http.StatusBadRequest)
		return
	}
	req, _ := review["request"].(map[string]any)
	response := map[string]any{"uid": req["uid"], "allowed": r.URL.Path != "/deny"}
	if objects, ok := req["objects"].([]any); ok {
		for _, o := range objects {
			o.(map[string]any)["apiVersion"] = req["desiredAPIVersion"]
		}
		response = map[string]any{"uid": req["uid"], "convertedObjects": objects, "result": map[string]any{"status": "Success"}}
	}
	review["response"] = response
	delete(review, "request")
	_ = json.NewEncoder(w).Encode(review)
}

func either(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func (s *hookServer) called(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[path]
}

func (s *hookServer) ca() string {
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// hookYAML is a webhook configuration for objects of a kind that no other test has.
func hookYAML(sort, kind, client, more string) string {
	return fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: %[1]sWebhookConfiguration
metadata: {name: hook-%[5]s-%[2]s}
webhooks:
- name: %[2]s.hooks.example
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 2
  clientConfig: {%[3]s}
  %[4]s
`, sort, strings.ToLower(kind), client, more, strings.ToLower(sort))
}

func rules(kind, operations string) string {
	return fmt.Sprintf("rules: [{apiGroups: [test.example], apiVersions: [v1], operations: [%s], resources: [%ss]}]", operations, strings.ToLower(kind))
}

func conversion(url, ca string) string {
	return fmt.Sprintf("  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: %q, caBundle: %q}}}\n", url, ca)
}

func TestWebhooksAnswer(t *testing.T) {
	t.Parallel()
	hooks := startHooks(t)
	other := startHooks(t)
	at := func(path string) string { return fmt.Sprintf("url: %q, caBundle: %q", hooks.URL+path, hooks.ca()) }
	const dead = "https://127.0.0.1:9/validate"
	tests := []struct {
		name, yaml string
		seed       string
		want       string // part of the reason; "" means that it answers
		called     string // the path that has to be called
	}{
		{name: "mutating", yaml: hookYAML("Mutating", "Mutated", at("/mutate"), rules("Mutated", "CREATE")), called: "/mutate"},
		{name: "validating gets an object that the schema accepts", yaml: hookYAML("Validating", "Validated", at("/validate"), rules("Validated", "CREATE")), called: "/validate"},
		{name: "denying is an answer", yaml: hookYAML("Validating", "Denied", at("/deny"), rules("Denied", "'*'")), called: "/deny"},
		{
			name: "update only, with an object there", yaml: hookYAML("Validating", "Updated", at("/update"), rules("Updated", "UPDATE")),
			seed: "apiVersion: test.example/v1\nkind: Updated\nmetadata: {name: u, namespace: default}\nspec: {size: big}\n", called: "/update",
		},
		{name: "update only, without an object", yaml: hookYAML("Validating", "Unmade", at("/unmade"), rules("Unmade", "UPDATE")), called: "direct"},
		{
			name: "labels as the selector wants them", called: "/selected",
			yaml: hookYAML("Mutating", "Selected", at("/selected"), "objectSelector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: In, values: [d]}, {key: e, operator: Exists}]}\n  "+rules("Selected", "CREATE")),
		},
		{
			name: "namespace as the selector wants it", called: "/namespaced",
			yaml: hookYAML("Mutating", "Namespaced", at("/namespaced"), "namespaceSelector: {matchLabels: {hooked: please}}\n  "+rules("Namespaced", "CREATE")),
			seed: "apiVersion: v1\nkind: Namespace\nmetadata: {name: hooked, labels: {hooked: please}}\n",
		},
		{name: "no namespace for it", yaml: hookYAML("Mutating", "Lonely", at("/lonely"), "namespaceSelector: {matchLabels: {no: where}}\n  "+rules("Lonely", "CREATE"))},
		{
			name: "refused", yaml: hookYAML("Validating", "Refused", fmt.Sprintf("url: %q, caBundle: %q", dead, hooks.ca()), rules("Refused", "CREATE")),
			want: `failed calling webhook "refused.hooks.example": failed to call webhook: Post "https://127.0.0.1:9/validate`,
		},
		{
			name: "refused, and only for updates", want: "https://127.0.0.1:9 doesn't answer",
			yaml: hookYAML("Validating", "Idle", fmt.Sprintf("url: %q, caBundle: %q", dead, hooks.ca()), rules("Idle", "UPDATE")),
		},
		{
			name: "wrong authority", yaml: hookYAML("Mutating", "Untrusted", fmt.Sprintf("url: %q, caBundle: %q", hooks.URL+"/mutate", base64.StdEncoding.EncodeToString(env.REST.CAData)), rules("Untrusted", "CREATE")),
			want: "certificate signed by unknown authority",
		},
		{
			name: "no service", yaml: hookYAML("Mutating", "Serviced", "service: {namespace: default, name: nobody, path: /x}", rules("Serviced", "CREATE")),
			want: `service "nobody" not found`,
		},
		{
			name: "no service, and only for updates", want: "its service default/nobody:443 doesn't exist",
			yaml: hookYAML("Mutating", "Unserviced", "service: {namespace: default, name: nobody, path: /x}", rules("Unserviced", "UPDATE")),
		},
		{name: "conversion", yaml: crdYAML("Converted", conversion(other.URL+"/convert", other.ca())), called: "/convert"},
		{
			name: "conversion of an object there", yaml: crdYAML("Kept", conversion(hooks.URL+"/convert", hooks.ca())), called: "/convert",
			seed: "apiVersion: test.example/v1\nkind: Kept\nmetadata: {name: k, namespace: default}\nspec: {size: big}\n",
		},
		{
			name: "conversion refused", yaml: crdYAML("Unconverted", conversion("https://127.0.0.1:9/convert", other.ca())),
			want: "conversion webhook for test.example/v1beta1, Kind=Unconverted failed",
		},
	}
	for _, tc := range tests {
		if kind := kindIn(tc.yaml); kind != "" {
			env.Seed(t, crdYAML(kind, ""))
		}
		env.Seed(t, tc.yaml, tc.seed)
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, env.REST)
			conds := c.WebhooksAnswer(parse(t, tc.yaml))
			if len(conds) != 1 {
				t.Fatalf("%d conditions", len(conds))
			}
			deadline := 20 * time.Second
			if tc.want != "" {
				deadline = 4 * time.Second
			}
			err := kube.Wait(within(t, deadline), nil, "s", 100*time.Millisecond, conds...)
			if tc.want == "" && err != nil {
				t.Error(err)
			} else if tc.want != "" {
				wantError(t, err, tc.want)
			}
			if tc.called != "" && hooks.called(tc.called)+other.called(tc.called) == 0 {
				t.Errorf("%s was never called", tc.called)
			}
			for _, w := range env.Writes(t, agent(t)) {
				if !strings.HasSuffix(w, "dry-run") {
					t.Errorf("not a dry run: %s", w)
				}
			}
		})
	}
}

// kindIn finds the kind that a webhook configuration of hookYAML is about.
func kindIn(yaml string) string {
	if !strings.Contains(yaml, "kind: MutatingW") && !strings.Contains(yaml, "kind: ValidatingW") {
		return ""
	}
	_, rest, _ := strings.Cut(yaml, "resources: [")
	plural, _, _ := strings.Cut(rest, "]")
	return strings.ToUpper(plural[:1]) + strings.TrimSuffix(plural[1:], "s")
}

// Webhooks of one server are proved by one request, and one that comes up late is waited for.
func TestWebhooksShareAProof(t *testing.T) {
	t.Parallel()
	hooks := startHooks(t)
	kinds := []string{"Sharea", "Shareb", "Sharec"}
	var yaml []string
	for _, k := range kinds {
		env.Seed(t, crdYAML(k, ""))
		client := fmt.Sprintf("url: %q, caBundle: %q", hooks.URL+"/"+strings.ToLower(k), hooks.ca())
		yaml = append(yaml, hookYAML("Mutating", k, client, rules(k, "CREATE")), hookYAML("Validating", k, client, rules(k, "CREATE")))
	}
	env.Seed(t, yaml...)
	c := connect(t, env.REST)
	conds := c.WebhooksAnswer(parse(t, strings.Join(yaml, "\n---\n")))
	if err := kube.Wait(within(t, 20*time.Second), nil, "s", 50*time.Millisecond, conds...); err != nil {
		t.Fatal(err)
	}
	if n := c.Requests().DryRun; n != 1 {
		t.Errorf("%d dry runs for one server", n)
	}
}
