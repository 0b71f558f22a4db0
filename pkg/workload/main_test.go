// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/test/testenv"
)

var (
	env    *testenv.Env
	update = flag.Bool("update", false, "write the golden files anew")
)

func TestMain(m *testing.M) {
	flag.Parse()
	kube.SetLogger(nil)
	code := testenv.Main(m, func(e *testenv.Env) { env = e })
	if err := goleak.Find(goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1")); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var seedOnce sync.Once

// server gives a client with a user agent of its own and a namespace of its own; the kinds are there.
func server(t *testing.T, agent string) (*kube.Client, string) {
	t.Helper()
	seedOnce.Do(func() { env.Seed(t, fixture(t, "crds.yaml"), fixture(t, "provider.yaml")) })
	ns := strings.ToLower(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(t.Name(), "-"))
	env.Seed(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+ns+"}")
	return client(t, agent), ns
}

func client(t *testing.T, agent string) *kube.Client {
	t.Helper()
	c, err := kube.New(env.REST, kube.Options{UserAgent: agent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parse(t *testing.T, file, text string) []manifest.Object {
	t.Helper()
	objs, err := manifest.Parse(manifest.Source{Name: file, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return objs
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// golden compares with testdata/NAME.golden; ages, times and the test's namespace are made the same first.
func golden(t *testing.T, name, ns, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, ns, "NAMESPACE")
	got = regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+s\b`).ReplaceAllString(got, "AGE")
	got = strings.ReplaceAll(got, env.REST.Host, "SERVER") + "\n"
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// recorder is a sink that remembers.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) Send(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, string(e.Kind)+" "+e.Message)
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

func key(ns, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: ns, Name: name}
}

// in puts the namespace into a fixture.
func in(ns, text string) string {
	return string(bytes.ReplaceAll([]byte(text), []byte("NS"), []byte(ns)))
}
