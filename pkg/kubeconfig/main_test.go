// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// These make the test binary merge something in a process of its own instead of testing.
const (
	helperCluster = "KUBECONFIG_TEST_CLUSTER"
	helperPath    = "KUBECONFIG_TEST_PATH"
	helperLimit   = "KUBECONFIG_TEST_LIMIT"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(helperCluster); name != "" {
		os.Exit(helper(name))
	}
	goleak.VerifyTestMain(m)
}

// helper merges a cluster of the given name, with a limited file size if the environment says so.
func helper(name string) int {
	err := limitFileSize(os.Getenv(helperLimit))
	var k *Kubeconfig
	if err == nil {
		k, err = Parse([]byte(sample(name, "https://"+name+":6443", name)))
	}
	if err == nil {
		_, err = Merge(context.Background(), k, MergeOptions{Path: os.Getenv(helperPath)})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
