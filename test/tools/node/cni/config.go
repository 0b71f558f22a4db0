// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// template is the configuration of the plug-ins: a pair of interfaces for each
// pod, an address from the node's range, and host ports.
const template = `{
  "cniVersion": "0.3.1",
  "name": "pods",
  "plugins": [
    {
      "type": "ptp",
      "ipMasq": true,
      "mtu": 1500,
      "ipam": {
        "type": "host-local",
        "dataDir": "/run/cni-ipam-state",
        "routes": [{"dst": "0.0.0.0/0"}],
        "ranges": [[{"subnet": %q}]]
      }
    },
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
`

// writeConfig writes the configuration, so that the container runtime sees all of it
// or nothing. A node without a pod range gets none.
func writeConfig(dir, cidr string) error {
	if cidr == "" {
		return nil
	}
	want := fmt.Appendf(nil, template, cidr)
	path := filepath.Join(dir, "10-pods.conflist")
	if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
		return nil
	}
	temp := filepath.Join(dir, ".10-pods.tmp")
	if err := os.WriteFile(temp, want, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
