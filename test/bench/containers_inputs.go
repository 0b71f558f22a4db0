// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider/webhookcert"
)

// containers are the inputs of the measurements with a container engine.
type containers struct {
	*bench
	// folder holds the script's inputs, home clusterctl's configuration and state.
	folder, home string
	script, cni  string
	images       []string
	env          []string
}

const (
	nodeVersion = "v1.34.4"
	nodeImage   = "kindest/node:" + nodeVersion
	clusterYAML = "test/e2e/testdata/self/cluster-template.yaml"
)

// newContainers prepares the inputs; that isn't measured. why says what is missing.
func (b *bench) newContainers(ctx context.Context) (c *containers, why string, err error) {
	if _, err := output(ctx, "docker", "image", "inspect", "--format", "{{.Id}}", nodeImage); err != nil {
		return nil, "there is no container engine with the images of the tests (make test-images)", nil //nolint:nilerr // It is left out.
	}
	c = &containers{bench: b, folder: filepath.Join(b.dir, "containers"), home: filepath.Join(b.dir, "containers-home")}
	c.cni = filepath.Join(filepath.Dir(filepath.Dir(b.parts.kube)), "node", nodeVersion, "cni.yaml")
	if _, err := os.Stat(c.cni); err != nil {
		return nil, err.Error(), nil //nolint:nilerr // It is left out.
	}
	if c.script, err = filepath.Abs("test/bench/containers.sh"); err != nil {
		return nil, "", err
	}
	for _, name := range []string{"cluster-api-controller", "kubeadm-bootstrap-controller", "kubeadm-control-plane-controller", "capd-manager"} {
		image := b.address + "/cluster-api/" + name + ":" + b.parts.version
		if _, err := output(ctx, "docker", "pull", "-q", image); err != nil {
			return nil, "", err
		}
		c.images = append(c.images, image)
	}
	preload, err := json.Marshal(c.images)
	if err != nil {
		return nil, "", err
	}
	c.env = append(b.env(b.parts.kube), "CLUSTERCTL_CONFIG_HOME="+c.home, "CLUSTERCTL_STATE_HOME="+filepath.Join(c.home, "state"),
		"DOCKER_PRELOAD_IMAGES="+string(preload), "KUBERNETES_VERSION="+nodeVersion)
	return c, "", errors.Join(c.writeScriptInputs(ctx), c.writeConfigs(ctx))
}

func (c *containers) writeScriptInputs(ctx context.Context) error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return err
	}
	kind := filepath.Join(c.folder, "kind")
	if _, err := output(ctx, "go", "build", "-o", kind, "sigs.k8s.io/kind"); err != nil {
		return err
	}
	vars := fmt.Sprintf("KIND=%q\nKUBECTL=%q\nCLUSTERCTL=%q\nIMAGES=%q\nNODE_IMAGE=%q\nVERSION=%q\nCNI=%q\n",
		kind, filepath.Join(c.parts.kube, "kubectl"), c.upstream, strings.Join(c.images, " "), nodeImage, nodeVersion, c.cni)
	return errors.Join(
		os.WriteFile(filepath.Join(c.folder, "vars"), []byte(vars), 0o600),
		os.WriteFile(filepath.Join(c.folder, "kind.yaml"), []byte(kindConfig), 0o600),
		os.WriteFile(filepath.Join(c.folder, "cert-manager.yaml"), []byte(certManagerKinds), 0o600),
	)
}

// repository says where upstream's layout has a provider's components.
var repository = []struct { //nolint:gochecknoglobals // constant
	label, file, kind string
	selector          []string
}{
	{"cluster-api", "core-components.yaml", "CoreProvider", []string{"--core", "cluster-api"}},
	{"bootstrap-kubeadm", "bootstrap-components.yaml", "BootstrapProvider", []string{"--bootstrap", "kubeadm"}},
	{"control-plane-kubeadm", "control-plane-components.yaml", "ControlPlaneProvider", []string{"--control-plane", "kubeadm"}},
	{"infrastructure-docker", "infrastructure-components.yaml", "InfrastructureProvider", []string{"--infrastructure", "docker"}},
}

// writeConfigs writes a configuration for each of the two programs. Both get the same template. The script's components have webhook
// certificates in them: where no registry has cert-manager's images, nobody could issue them there.
func (c *containers) writeConfigs(ctx context.Context) error {
	parts := filepath.Join(filepath.Dir(filepath.Dir(c.parts.kube)), "repository")
	text, err := os.ReadFile(clusterYAML)
	if err != nil {
		return err
	}
	var theirs []map[string]string
	for _, p := range repository {
		dir := filepath.Join(c.folder, "repository", p.label, c.parts.version)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		metadata, err := os.ReadFile(filepath.Join(parts, p.label, c.parts.version, "metadata.yaml"))
		if err != nil {
			return err
		}
		if err := errors.Join(
			os.WriteFile(filepath.Join(dir, "metadata.yaml"), metadata, 0o600),
			os.WriteFile(filepath.Join(dir, "cluster-template.yaml"), text, 0o600),
			c.writeIssued(ctx, filepath.Join(dir, p.file), p.selector),
		); err != nil {
			return err
		}
		_, name, _ := strings.Cut(p.label, "-")
		if p.kind == "CoreProvider" {
			name = p.label
		}
		name = strings.TrimPrefix(name, "plane-")
		theirs = append(theirs, map[string]string{"name": name, "url": filepath.Join(dir, p.file), "type": p.kind})
	}
	config, err := yaml.Marshal(map[string]any{"providers": theirs})
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(c.folder, "clusterctl.yaml"), config, 0o600), c.writeOurs(parts, text))
}

// writeOurs writes our own configuration: the components as they are released, with the same template.
func (c *containers) writeOurs(parts string, template []byte) error {
	config, err := os.ReadFile(filepath.Join(c.dir, "clusterctl.yaml"))
	if err != nil {
		return err
	}
	from := filepath.Join(parts, "infrastructure-docker", c.parts.version)
	to := filepath.Join(c.home, "repository", "infrastructure-docker", c.parts.version)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"infrastructure-components.yaml", "metadata.yaml"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o600); err != nil {
			return err
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(to, "cluster-template.yaml"), template, 0o600),
		os.WriteFile(filepath.Join(c.home, "clusterctl.yaml"), []byte(strings.ReplaceAll(string(config), from, to)), 0o600),
	)
}

// writeIssued writes a provider's components with webhook certificates in place of cert-manager's kinds.
func (c *containers) writeIssued(ctx context.Context, file string, selector []string) error {
	_, text, err := measure(ctx, c.dir, c.bench.env(c.parts.kube), append([]string{c.ours, "generate", "provider"}, selector...)...)
	if err != nil {
		return err
	}
	parsed, err := manifest.Parse(manifest.Source{Name: file, Data: []byte(text)})
	if err != nil {
		return err
	}
	objs, err := webhookcert.Issue(manifest.Unwrap(parsed), nil, time.Now())
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, o := range objs {
		data, err := yaml.Marshal(o.Object)
		if err != nil {
			return err
		}
		out.WriteString("---\n" + string(data))
	}
	// What looks like a variable to upstream's was one before, and has its value by now.
	return os.WriteFile(file, []byte(out.String()), 0o600)
}

const kindConfig = `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
- role: control-plane
  extraMounts: [{hostPath: /var/run/docker.sock, containerPath: /var/run/docker.sock}]
`

// certManagerKinds are the definitions that upstream's init takes for an installed cert-manager.
const certManagerKinds = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: issuers.cert-manager.io}
spec:
  group: cert-manager.io
  scope: Namespaced
  names: {kind: Issuer, listKind: IssuerList, plural: issuers, singular: issuer}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io}
spec:
  group: cert-manager.io
  scope: Namespaced
  names: {kind: Certificate, listKind: CertificateList, plural: certificates, singular: certificate}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
