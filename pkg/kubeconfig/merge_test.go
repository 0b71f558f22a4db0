// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func fixed() time.Time { return time.Date(2026, 12, 1, 4, 5, 6, 0, time.UTC) }

const existing = `# my clusters, do not touch
apiVersion: v1
kind: Config
preferences:
  colors: true # I like them
current-context: home
contexts:
# at home
- name: home
  context: {cluster: home, user: me, namespace: lab}
- context:
    cluster: work
    user: me
  name: work   # careful
clusters:
- name: home
  cluster:
    server: https://192.168.0.2:6443
    extensions:
    - name: minikube.io/cluster
      extension: {provider: minikube.io, version: v1.2.3}
    x-unknown: 017
- name: work
  cluster: {server: "https://work.example.com", certificate-authority: pki/ca.crt}
users:
- name: me
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: login
      args: ["--yes", "no", "on"]
      env: null
x-tool: {seen: [1, 2.50, "3", true, ~, on, 0x1F, 1e3, 2026-12-01]}
`

func TestMergeKeepsTheRest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, existing, 0o644)
	res, err := Merge(t.Context(), demo(t), MergeOptions{Path: path, Now: fixed})
	if err != nil {
		t.Fatal(err)
	}
	want := MergeResult{Path: path, Context: "demo-admin@demo", Changed: true, Backup: path + ".bak-20261201T040506Z", Current: "home"}
	if diff := cmp.Diff(want, res); diff != "" {
		t.Error(diff)
	}
	for file, mode := range map[string]os.FileMode{path: 0o600, res.Backup: 0o600} {
		if info, err := os.Stat(file); err != nil || info.Mode() != mode {
			t.Errorf("%s: mode %v, %v", file, info.Mode(), err)
		}
	}
	if got := read(t, res.Backup); got != existing {
		t.Errorf("backup differs:\n%s", cmp.Diff(existing, got))
	}
	if diff := cmp.Diff(existing, removeOurs(read(t, path))); diff != "" {
		t.Errorf("more changed than was added:\n%s", diff)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if config.Clusters["demo"].Server != "https://10.0.0.1:6443" || config.AuthInfos["demo-admin"].Token != "s3cret" || config.Contexts["demo-admin@demo"].Cluster != "demo" {
		t.Errorf("not merged: %+v", config)
	}
}

// removeOurs takes the lines out that demo brought in.
func removeOurs(text string) string {
	for _, ours := range []string{
		"- context:\n    cluster: demo\n    user: demo-admin\n  name: demo-admin@demo\n",
		"- cluster:\n    server: https://10.0.0.1:6443\n  name: demo\n",
		"- name: demo-admin\n  user:\n    token: s3cret\n",
	} {
		text = strings.Replace(text, ours, "", 1)
	}
	// The only thing that the encoder does on its own: blanks before a comment.
	return strings.Replace(text, "name: work # careful", "name: work   # careful", 1)
}

func TestMergeLayouts(t *testing.T) {
	t.Parallel()
	other := sample("other", "https://other:6443", "o")
	indented := "apiVersion: v1\nkind: Config\nclusters:\n    - name: other\n      cluster:\n        server: https://other\ncontexts: []\nusers: null\n"
	js := `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"other","cluster":{"server":"https://other"}}],"users":[],"contexts":[],"current-context":""}`
	tests := []struct {
		name, old string
		check     func(t *testing.T, text string)
	}{
		{"no file", "", nil},
		{"white space", " \n\n", nil},
		{"as kubectl writes it", other, func(t *testing.T, text string) {
			if !strings.HasPrefix(text, "apiVersion: v1\nclusters:\n- cluster:\n    server: https://other:6443\n  name: other\n") {
				t.Errorf("layout changed:\n%s", text)
			}
		}},
		{"as kubectl config view leaves it", "apiVersion: v1\nclusters: []\ncontexts: []\ncurrent-context: \"\"\nkind: Config\npreferences: {}\nusers: []\n", func(t *testing.T, text string) {
			if strings.Contains(text, "[{") {
				t.Errorf("entries in flow style:\n%s", text)
			}
		}},
		{"indented lists, null and empty ones", indented, func(t *testing.T, text string) {
			if !strings.Contains(text, "clusters:\n    - name: other") {
				t.Errorf("layout changed:\n%s", text)
			}
		}},
		{"lists missing", "kind: Config\n", nil},
		{"JSON", js, func(t *testing.T, text string) {
			if !json.Valid([]byte(text)) {
				t.Errorf("no JSON any more: %s", text)
			}
		}},
		{"windows line breaks", strings.ReplaceAll(other, "\n", "\r\n"), nil},
		{"byte order mark", "\ufeff" + other, nil},
		{"document start and end", "---\n" + other + "...\n", nil},
		{"anchors", "kind: Config\nclusters:\n- name: a\n  cluster: &c {server: https://a}\n- name: b\n  cluster: *c\nusers: []\ncontexts: []\n", nil},
		{"tabs in comments and odd strings", "kind: Config # \ttab\nclusters: []\nx: \"a\\tb\"\ny: |\n  text\n   more\nz: >-\n  folded\n  text\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config")
			if tt.old != "" {
				write(t, path, tt.old, 0o600)
			}
			opts := MergeOptions{Path: path, Now: fixed}
			first, err := Merge(t.Context(), demo(t), opts)
			if err != nil {
				t.Fatal(err)
			}
			if !first.Changed || (first.Backup == "") != (tt.old == "") {
				t.Errorf("got %+v", first)
			}
			text := read(t, path)
			config, err := clientcmd.Load([]byte(text))
			if err != nil || config.Clusters["demo"] == nil || config.AuthInfos["demo-admin"] == nil || config.Contexts["demo-admin@demo"] == nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if strings.Contains(tt.old, "other") && config.Clusters["other"] == nil {
				t.Errorf("lost an entry:\n%s", text)
			}
			if tt.check != nil {
				tt.check(t, text)
			}
			second, err := Merge(t.Context(), demo(t), opts)
			if err != nil || second.Changed || second.Backup != "" || read(t, path) != text {
				t.Errorf("again: %+v, %v", second, err)
			}
			if len(backups(t, path)) > 1 {
				t.Errorf("backups: %v", backups(t, path))
			}
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, old string
		code      fault.Code
		says      []string
		hint      string
	}{
		{"another cluster of that name", sample("demo", "https://elsewhere:6443", "other"), fault.Refused, []string{`cluster "demo"`, `user "demo-admin"`}, "--context-name"},
		{"other credentials of the same", sample("demo", "https://10.0.0.1:6443", "other"), fault.Refused, []string{`different user "demo-admin"`}, "--force"},
		{"not YAML", "a: [b\n", fault.Usage, []string{"not a kubeconfig", "line"}, "not touched"},
		{"another kind", "kind: Secret\n", fault.Usage, []string{"not a kubeconfig", "Secret"}, "not touched"},
		{"several documents", "kind: Config\n---\nkind: Config\n", fault.Usage, []string{"more than one"}, "not touched"},
		{"what kubectl can't read", sample("other", "https://other", "x") + "- name: other-admin\n  user: {}\n", fault.Usage, []string{"two entries"}, "not touched"},
		{"a key twice", "kind: Config\nclusters: []\nclusters: []\n", fault.Failed, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config")
			write(t, path, tt.old, 0o640)
			_, err := Merge(t.Context(), demo(t), MergeOptions{Path: path, SetCurrent: true})
			if fault.CodeOf(err) != tt.code && tt.says != nil || err == nil {
				t.Fatalf("got %v (code %d), want code %d", err, fault.CodeOf(err), tt.code)
			}
			for _, want := range tt.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, tt.hint) {
				t.Errorf("hints %q, want %q", hints, tt.hint)
			}
			if got := read(t, path); got != tt.old || len(backups(t, path)) > 0 {
				t.Errorf("touched: %v\n%s", backups(t, path), got)
			}
		})
	}
}

func TestMergeForce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, "# top\n"+sample("demo", "https://elsewhere:6443", "other"), 0o600)
	res, err := Merge(t.Context(), demo(t), MergeOptions{Path: path, Force: true})
	if err != nil || !res.Changed || res.Backup == "" {
		t.Fatalf("%+v, %v", res, err)
	}
	if diff := cmp.Diff("# top\n"+sample("demo", "https://10.0.0.1:6443", "s3cret"), read(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestMergeSetCurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	opts := MergeOptions{Path: path}
	if res, err := Merge(t.Context(), demo(t), opts); err != nil || res.Current != "" {
		t.Fatalf("current-context %q was set unasked, %v", res.Current, err)
	}
	opts.SetCurrent = true
	if res, err := Merge(t.Context(), demo(t), opts); err != nil || !res.Changed || res.Current != "demo-admin@demo" {
		t.Fatalf("%+v, %v", res, err)
	}
	if res, err := Merge(t.Context(), demo(t), opts); err != nil || res.Changed {
		t.Fatalf("again: %+v, %v", res, err)
	}
	opts.SetCurrent = false
	other := mustParse(t, sample("other", "https://other:6443", "o"))
	if res, err := Merge(t.Context(), other, opts); err != nil || res.Current != "demo-admin@demo" {
		t.Fatalf("%+v, %v", res, err)
	}
}

func TestMergeHidesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, second := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	write(t, second, sample("demo", "https://elsewhere:6443", "other"), 0o600)
	opts := MergeOptions{Path: path, Others: []string{second, filepath.Join(dir, "missing")}}
	_, err := Merge(t.Context(), demo(t), opts)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || conflict.Path != second {
		t.Fatalf("got %v", err)
	}
	opts.Force = true
	if _, err := Merge(t.Context(), demo(t), opts); err != nil {
		t.Fatal(err)
	}
}

func TestMergeThroughLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dotfiles"), 0o700); err != nil {
		t.Fatal(err)
	}
	realPath := filepath.Join(dir, "dotfiles", "kube")
	write(t, realPath, existing, 0o600)
	path := link(t, "dotfiles/kube", filepath.Join(dir, "config"))
	res, err := Merge(t.Context(), demo(t), MergeOptions{Path: path})
	if err != nil || filepath.Dir(res.Backup) != filepath.Dir(realPath) {
		t.Fatalf("%+v, %v", res, err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if !strings.Contains(read(t, realPath), "demo-admin@demo") {
		t.Error("not merged")
	}
}

func TestMergeMakesDir(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".kube", "config")
	if _, err := Merge(t.Context(), demo(t), MergeOptions{Path: path}); fault.CodeOf(err) != fault.Usage {
		t.Fatalf("got %v", err)
	}
	if _, err := Merge(t.Context(), demo(t), MergeOptions{Path: path, MakeDir: true}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestUserFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	write(t, b, "", 0o600)
	sep := string(os.PathListSeparator)
	tests := []struct {
		name, list, home string
		want             string
		others           []string
	}{
		{"home", "", dir, filepath.Join(dir, ".kube", "config"), nil},
		{"one that doesn't exist", a, dir, a, nil},
		{"first that exists", a + sep + b + sep + c, dir, b, []string{a, c}},
		{"none exists: the last", a + sep + c, dir, c, []string{a}},
		{"empty parts", sep + sep + a + sep, dir, a, nil},
		{"only separators", sep, dir, filepath.Join(dir, ".kube", "config"), nil},
		{"neither", "", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, others, err := UserFile(func(name string) string {
				if name == "KUBECONFIG" {
					return tt.list
				}
				return ""
			}, tt.home)
			if path != tt.want || (err == nil) == (tt.want == "") {
				t.Errorf("got %q, %v; want %q", path, err, tt.want)
			}
			if diff := cmp.Diff(tt.others, others); diff != "" {
				t.Error(diff)
			}
		})
	}
}
