// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

const capiVersion = "v1.14.2"

// realProviders are the parts that the real providers are made of: component files and the programs of their images.
var realProviders = map[string]string{
	"cluster-api/%v/core-components.yaml":                     "cluster-api-controller=core-manager",
	"bootstrap-kubeadm/%v/bootstrap-components.yaml":          "kubeadm-bootstrap-controller=kubeadm-bootstrap-manager",
	"control-plane-kubeadm/%v/control-plane-components.yaml":  "kubeadm-control-plane-controller=kubeadm-control-plane-manager",
	"infrastructure-docker/%v/infrastructure-components.yaml": "capd-manager=capd-manager",
}

// realComponents renders the real providers' components with images in a registry of this test.
func realComponents(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	parts := filepath.Dir(filepath.Dir(kubeAssets(t)))
	if _, err := os.Stat(filepath.Join(parts, "repository")); err != nil {
		t.Fatalf("no provider parts in %s: run \"make parts\"", parts)
	}
	registry := startRegistry(t)
	var objs []*unstructured.Unstructured
	for file, image := range realProviders {
		if strings.Contains(file, "docker") && !dockerProviderFits(t) {
			continue
		}
		repository, program, _ := strings.Cut(image, "=")
		ref := push(t, registry, repository, filepath.Join(parts, "capi", capiVersion, "bin", program))
		file = filepath.Join(parts, "repository", strings.ReplaceAll(file, "%v", capiVersion))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rendered, err := manifest.Render(manifest.Source{Name: file, Data: data}, func(name string) (string, bool) {
			if name == "CLUSTER_TOPOLOGY" {
				return "true", true
			}
			return "", false
		})
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := manifest.Parse(rendered)
		if err != nil {
			t.Fatal(err)
		}
		some := manifest.Unwrap(parsed)
		if err := manifest.MapImages(some, func(string) (string, error) { return ref, nil }); err != nil {
			t.Fatal(err)
		}
		objs = append(objs, some...)
	}
	return objs
}

// dockerProviderFits says whether the Docker provider can run: it always listens on port 19000.
func dockerProviderFits(t *testing.T) bool {
	t.Helper()
	l, err := net.Listen("tcp", ":19000")
	if err != nil {
		t.Log("without the Docker provider: port 19000, which it always listens on, is in use")
		return false
	}
	return l.Close() == nil
}

// TestRealProviders runs the four real managers, all webhooks answering.
func TestRealProviders(t *testing.T) {
	objs := realComponents(t)
	f := newFixture(t)
	c := f.bootstrap(t, "real")
	for _, run := range []string{"cold image cache", "warm image cache"} {
		t.Run(run, func(t *testing.T) {
			began := time.Now()
			ensure(t, c)
			apply(t, c, objs)
			t.Logf("applied after %s", time.Since(began).Round(time.Millisecond))
			awaitWebhooks(t, c, objs)
			t.Logf("four managers and their webhooks after %s", time.Since(began).Round(time.Millisecond))
			if err := c.Delete(t.Context(), logSink(t)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func awaitWebhooks(t *testing.T, c *local.Cluster, objs []*unstructured.Unstructured) {
	t.Helper()
	began := time.Now()
	client := clientset(t, c.Kubeconfig())
	for _, obj := range objs {
		if obj.GetKind() == "Deployment" {
			awaitAvailable(t, client, obj.GetNamespace(), obj.GetName())
		}
	}
	t.Logf("all available %s after apply", time.Since(began).Round(time.Millisecond))
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: c.Kubeconfig(), Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	k, err := kube.New(cfg.REST, kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if err := kube.Wait(t.Context(), logSink(t), "webhooks", 100*time.Millisecond, k.WebhooksAnswer(objs)...); err != nil {
		t.Error(err)
	}
}
