// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

const (
	configAPI     = "kind.x-k8s.io/v1alpha4"
	defaultSocket = "/var/run/docker.sock"
)

// config is the kind configuration: the user's, with the engine's socket mounted if that is wanted.
func (o Options) config() ([]byte, error) {
	doc := map[string]any{"kind": "Cluster", "apiVersion": configAPI}
	if o.ConfigFile != "" {
		data, err := os.ReadFile(o.ConfigFile)
		if err != nil {
			return nil, fault.Usagef("read kind configuration: %w", err)
		}
		doc = map[string]any{}
		if err := yaml.Unmarshal(data, &doc); err != nil {
			return nil, fault.Usagef("read kind configuration %s: %w", o.ConfigFile, err)
		}
		if doc["kind"] != "Cluster" || doc["apiVersion"] != configAPI {
			return nil, fault.WithHint(fault.Usagef("%s is not a kind configuration", o.ConfigFile), "it begins with: kind: Cluster, apiVersion: %s", configAPI)
		}
		if err := strict(data); err != nil {
			return nil, fault.Usagef("read kind configuration %s: %w", o.ConfigFile, err)
		}
	}
	if o.MountEngineSocket {
		if err := mountSocket(doc, socketPath(o.Getenv("DOCKER_HOST"))); err != nil {
			return nil, fault.Usagef("read kind configuration %s: %w", o.ConfigFile, err)
		}
	}
	return yaml.Marshal(doc)
}

// strict reads a configuration as kind will, so that a slip is found before anything is made, with the line of the user's own file.
func strict(data []byte) error {
	d := yamlv3.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	err := d.Decode(&v1alpha4.Cluster{})
	var many *yamlv3.TypeError
	if errors.As(err, &many) {
		return errors.New(strings.Join(many.Errors, "; "))
	}
	return err
}

// socketPath is the engine's socket on this host.
func socketPath(dockerHost string) string {
	if path, ok := strings.CutPrefix(dockerHost, "unix://"); ok {
		return path
	}
	return defaultSocket
}

// mountSocket mounts the engine's socket into every node where nothing is mounted there yet.
func mountSocket(doc map[string]any, socket string) error {
	list, ok := doc["nodes"].([]any)
	if !ok && doc["nodes"] != nil {
		return fmt.Errorf("nodes is not a list")
	}
	if len(list) == 0 {
		list = []any{map[string]any{"role": "control-plane"}}
	}
	for i, item := range list {
		node, ok := item.(map[string]any)
		if !ok {
			return fmt.Errorf("nodes[%d] is not a node", i)
		}
		mounts, _ := node["extraMounts"].([]any)
		if !mounted(mounts) {
			node["extraMounts"] = append(mounts, map[string]any{"hostPath": socket, "containerPath": defaultSocket})
		}
	}
	doc["nodes"] = list
	return nil
}

func mounted(mounts []any) bool {
	for _, m := range mounts {
		if mount, ok := m.(map[string]any); ok && mount["containerPath"] == defaultSocket {
			return true
		}
	}
	return false
}

// images are the node images that a cluster will use.
func (o Options) images(config []byte) []string {
	if o.Image != "" {
		return []string{o.Image}
	}
	var doc struct {
		Nodes []struct {
			Image string `json:"image"`
		} `json:"nodes"`
	}
	_ = yaml.Unmarshal(config, &doc) // What is wrong with it kind says.
	var out []string
	for _, n := range doc.Nodes {
		if n.Image == "" {
			n.Image = DefaultImage
		}
		out = append(out, n.Image)
	}
	if len(out) == 0 {
		out = []string{DefaultImage}
	}
	return out
}

var imageVersion = regexp.MustCompile(`:v(\d+)\.(\d+)\.`)

// minorOf reads the Kubernetes version off a node image's tag.
func minorOf(image string) (minor int, ok bool) {
	m := imageVersion.FindStringSubmatch(image)
	if m == nil {
		return 0, false
	}
	minor, err := strconv.Atoi(m[2])
	return minor, err == nil && m[1] == "1"
}
