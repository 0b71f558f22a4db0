// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"fmt"
	"os"
	"path/filepath"
)

// Version is the Kubernetes release that tests run against.
const Version = "v1.34.4"

// Binary returns the path of a control-plane program: "etcd", "kube-apiserver" or "kube-controller-manager".
// It returns an error that says how to get the programs if it isn't there.
func Binary(name string) (string, error) {
	dir, err := binaryDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if st, err := os.Stat(path); err != nil || st.IsDir() || st.Mode().Perm()&0o111 == 0 {
		return "", fmt.Errorf("no program %s: get the control-plane programs with 'make parts', or set KUBEBUILDER_ASSETS to a folder that holds them", path)
	}
	return path, nil
}

func binaryDir() (string, error) {
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		return dir, nil
	}
	parts := os.Getenv("CLUSTERCTL_PARTS")
	if parts == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the parts cache: %w", err)
		}
		parts = filepath.Join(home, ".cache", "clusterctl-parts")
	}
	return filepath.Join(parts, "kube", Version), nil
}
