// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// writeComponents writes the four providers' components as clusterctl renders them, with what is for cert-manager left
// out, and webhooks called by URL at the given ports.
func (b *bench) writeComponents(ctx context.Context, file string, ca []byte, ports map[string]int) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	enc := yaml.NewEncoder(out)
	for _, m := range managers() {
		argv := append([]string{b.ours, "generate", "provider"}, m.selector...)
		_, text, err := measure(ctx, b.dir, b.env(b.parts.kube), argv...)
		if err != nil {
			return err
		}
		if err := rewrite(enc, text, base64.StdEncoding.EncodeToString(ca), ports); err != nil {
			return fmt.Errorf("rewrite components of %s: %w", m.selector[1], err)
		}
	}
	return errors.Join(enc.Close(), out.Close())
}

func rewrite(enc *yaml.Encoder, text, ca string, ports map[string]int) error {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var obj map[string]any
		if err := dec.Decode(&obj); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		version, _ := obj["apiVersion"].(string)
		if obj == nil || strings.HasPrefix(version, "cert-manager.io/") {
			continue
		}
		if err := byURL(obj, ca, ports); err != nil {
			return err
		}
		if err := enc.Encode(obj); err != nil {
			return err
		}
	}
}

// byURL replaces each reference to a webhook's Service, wherever in a document it is.
func byURL(node any, ca string, ports map[string]int) error {
	switch n := node.(type) {
	case []any:
		for _, item := range n {
			if err := byURL(item, ca, ports); err != nil {
				return err
			}
		}
	case map[string]any:
		if cfg, ok := n["clientConfig"].(map[string]any); ok && cfg["service"] != nil { // else it is in a schema
			return serviceToURL(cfg, ca, ports)
		}
		for _, item := range n {
			if err := byURL(item, ca, ports); err != nil {
				return err
			}
		}
	}
	return nil
}

func serviceToURL(cfg map[string]any, ca string, ports map[string]int) error {
	service, _ := cfg["service"].(map[string]any)
	name, _ := service["name"].(string)
	path, _ := service["path"].(string)
	port, ok := ports[name]
	if !ok {
		return fmt.Errorf("webhook calls Service %q, which no manager is behind", name)
	}
	delete(cfg, "service")
	cfg["url"], cfg["caBundle"] = fmt.Sprintf("https://127.0.0.1:%d%s", port, path), ca
	return nil
}
