// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// containers are the inputs of the measurements with a container engine.
type containers struct {
	*bench
	// folder holds the script's inputs, home clusterctl's configuration and state.
	folder, home string
	script, cni  string
	// certManager is the manifest of a release, images are the providers' and certImages those of cert-manager.
	certManager        string
	images, certImages []string
	env                []string
}

const (
	nodeVersion = "v1.34.4"
	nodeImage   = "kindest/node:" + nodeVersion
	clusterYAML = "test/e2e/testdata/self/cluster-template.yaml"
)

// newContainers prepares the inputs; that isn't measured.
func (b *bench) newContainers(ctx context.Context) (*containers, error) {
	if _, err := output(ctx, "docker", "image", "inspect", "--format", "{{.Id}}", nodeImage); err != nil {
		return nil, fmt.Errorf("there is no container engine with the images of the tests (make test-images): %w", err)
	}
	c := &containers{bench: b, folder: filepath.Join(b.dir, "containers"), home: filepath.Join(b.dir, "containers-home")}
	c.cni = filepath.Join(b.cache(), "node", nodeVersion, "cni.yaml")
	if _, err := os.Stat(c.cni); err != nil {
		return nil, err
	}
	var err error
	if c.script, err = filepath.Abs("test/bench/containers.sh"); err != nil {
		return nil, err
	}
	for _, name := range []string{"cluster-api-controller", "kubeadm-bootstrap-controller", "kubeadm-control-plane-controller", "capd-manager"} {
		image := b.address + "/cluster-api/" + name + ":" + b.parts.version
		if _, err := output(ctx, "docker", "pull", "-q", image); err != nil {
			return nil, err
		}
		c.images = append(c.images, image)
	}
	found, _ := filepath.Glob(filepath.Join(b.cache(), "cert-manager", "v*", "cert-manager.yaml"))
	if len(found) == 0 {
		return nil, errors.New("there is no cert-manager (make test-images)")
	}
	c.certManager = found[len(found)-1]
	for _, name := range []string{"controller", "webhook", "cainjector"} {
		c.certImages = append(c.certImages, certManagerRegistry+"/cert-manager-"+name+":"+filepath.Base(filepath.Dir(c.certManager)))
	}
	c.env = append(b.env(b.parts.kube), "CLUSTERCTL_CONFIG_HOME="+c.home, "CLUSTERCTL_STATE_HOME="+filepath.Join(c.home, "state"), "KUBERNETES_VERSION="+nodeVersion)
	return c, errors.Join(c.writeScriptInputs(ctx), c.writeConfig())
}

// cache is the folder with all that "make parts" and "make test-images" made.
func (b *bench) cache() string { return filepath.Dir(filepath.Dir(b.parts.kube)) }

func (c *containers) kindConfig() string { return filepath.Join(c.folder, "kind.yaml") }

func (c *containers) writeScriptInputs(ctx context.Context) error {
	for _, dir := range []string{c.folder, c.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	kind := filepath.Join(c.folder, "kind")
	if _, err := output(ctx, "go", "build", "-o", kind, "sigs.k8s.io/kind"); err != nil {
		return err
	}
	vars := fmt.Sprintf("CONFIG=%q\nKIND=%q\nKUBECTL=%q\nCLUSTERCTL=%q\nIMAGES=%q\nNODE_IMAGE=%q\nVERSION=%q\nCNI=%q\n",
		filepath.Join(c.home, "clusterctl.yaml"), kind, filepath.Join(c.parts.kube, "kubectl"), c.upstream, strings.Join(slices.Concat(c.images, c.certImages), " "), nodeImage, nodeVersion, c.cni)
	policy := filepath.Join(c.folder, "policy.yaml")
	return errors.Join(
		os.WriteFile(filepath.Join(c.folder, "vars"), []byte(vars), 0o600),
		os.WriteFile(policy, []byte(peopleAudit), 0o600),
		os.WriteFile(c.kindConfig(), []byte(strings.ReplaceAll(kindConfig, "@POLICY@", policy)), 0o600),
	)
}

// writeConfig writes the configuration of both programs: the components as they are released, with a template for clusters of containers,
// and cert-manager.
func (c *containers) writeConfig() error {
	config, err := os.ReadFile(filepath.Join(c.dir, "clusterctl.yaml"))
	if err != nil {
		return err
	}
	template, err := os.ReadFile(clusterYAML)
	if err != nil {
		return err
	}
	audited, err := auditedTemplate(string(template))
	if err != nil {
		return err
	}
	from := filepath.Join(c.cache(), "repository", "infrastructure-docker", c.parts.version)
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
	text := strings.ReplaceAll(string(config), from, to)
	text = strings.Replace(text, "images:\n", "images:\n  cert-manager:\n    repository: "+certManagerRegistry+"\n", 1)
	text += fmt.Sprintf("cert-manager:\n  url: %s\n  version: %s\n", c.certManager, filepath.Base(filepath.Dir(c.certManager)))
	return errors.Join(
		os.WriteFile(filepath.Join(to, "cluster-template.yaml"), []byte(audited), 0o600),
		os.WriteFile(filepath.Join(c.home, "clusterctl.yaml"), []byte(text), 0o600),
	)
}

// certManagerRegistry is where a release of cert-manager has its images.
const certManagerRegistry = "quay.io/jetstack"
