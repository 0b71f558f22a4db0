// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools pins what node images are made from besides Kubernetes.
package tools

import (
	_ "sigs.k8s.io/cri-tools/cmd/crictl"
	_ "sigs.k8s.io/kind"
)
