// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	var nodes []node
	err := json.Unmarshal([]byte(`[
		{"metadata":{"name":"self"},"spec":{"podCIDR":"10.0.0.0/24"},"status":{"addresses":[{"type":"InternalIP","address":"172.18.0.2"}]}},
		{"metadata":{"name":"other"},"spec":{"podCIDR":"10.0.1.0/24"},"status":{"addresses":[
			{"type":"Hostname","address":"other"},{"type":"InternalIP","address":"fd00::3"},{"type":"InternalIP","address":"172.18.0.3"}]}},
		{"metadata":{"name":"without a range"},"status":{"addresses":[{"type":"InternalIP","address":"172.18.0.4"}]}},
		{"metadata":{"name":"without an address"},"spec":{"podCIDR":"10.0.3.0/24"}}]`), &nodes)
	if err != nil {
		t.Fatal(err)
	}
	if got := routes(nodes, "self"); !maps.Equal(got, map[string]string{"10.0.1.0/24": "172.18.0.3"}) {
		t.Errorf("routes() = %v, want one to the other node's range", got)
	}
}

func TestWriteConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := writeConfig(dir, ""); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("a node without a range got %v", left)
	}
	for range 2 {
		if err := writeConfig(dir, "10.0.0.0/24"); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "10-pods.conflist"))
	if err != nil || !json.Valid(data) {
		t.Errorf("configuration %s, %v, want JSON", data, err)
	}
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("left in the folder: %v", all)
	}
}
