// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func encode(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// webhooks rewrites every webhook of a configuration.
func webhooks(obj *unstructured.Unstructured, idx *index, h Host) error {
	list, _, err := unstructured.NestedFieldNoCopy(obj.Object, "webhooks")
	if err != nil {
		return err
	}
	hooks, _ := list.([]any)
	for _, item := range hooks {
		hook, ok := item.(map[string]any)
		if !ok {
			return fmt.Errorf("webhooks holds something that isn't a webhook")
		}
		cfg, ok := hook["clientConfig"].(map[string]any)
		if !ok {
			continue // The API server says what is wrong with it.
		}
		if err := clientConfig(cfg, idx, h); err != nil {
			return fmt.Errorf("webhook %v: %w", hook["name"], err)
		}
	}
	return nil
}

// conversion rewrites a CRD's conversion webhook, if it has one.
func conversion(obj *unstructured.Unstructured, idx *index, h Host) error {
	field, found, err := unstructured.NestedFieldNoCopy(obj.Object, "spec", "conversion", "webhook", "clientConfig")
	if err != nil || !found {
		return nil //nolint:nilerr // Another shape than v1's: the API server says what is wrong with it.
	}
	cfg, ok := field.(map[string]any)
	if !ok {
		return nil
	}
	if err := clientConfig(cfg, idx, h); err != nil {
		return fmt.Errorf("conversion webhook: %w", err)
	}
	return nil
}

// clientConfig turns a reference to a Service into the URL of the process behind it.
func clientConfig(cfg map[string]any, idx *index, h Host) error {
	ref, ok := cfg["service"].(map[string]any)
	if !ok {
		return nil // By URL already.
	}
	namespace, _ := ref["namespace"].(string)
	name, _ := ref["name"].(string)
	path, _ := ref["path"].(string)
	port := int64(443) // The API's default.
	switch p := ref["port"].(type) {
	case int64:
		port = p
	case float64: // As some YAML libraries read numbers.
		port = int64(p)
	}
	deployment, target, err := idx.resolve(namespace, name, port)
	if err != nil {
		return err
	}
	hostPort, err := h.Port(namespace, deployment, target)
	if err != nil {
		return err
	}
	delete(cfg, "service")
	cfg["url"] = URL(hostPort, path)
	cfg["caBundle"] = encode(h.CABundle)
	return nil
}

// URL is the address of a webhook that listens on a port of this host.
func URL(port int, path string) string {
	u := url.URL{Scheme: "https", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: path}
	return u.String()
}
