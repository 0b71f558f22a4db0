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
	helperForever = "KUBECONFIG_TEST_FOREVER"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(helperCluster); name != "" {
		os.Exit(helper(name))
	}
	goleak.VerifyTestMain(m)
}

// helper merges a cluster of the given name, with a limited file size if the environment
// says so, or one cluster after the other until it is killed.
func helper(name string) int {
	err := limitFileSize(os.Getenv(helperLimit))
	if err == nil {
		err = helperMerge(name)
	}
	for i := 0; err == nil && os.Getenv(helperForever) != ""; i++ {
		err = helperMerge(fmt.Sprintf("%s-%d", name, i))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func helperMerge(name string) error {
	k, err := Parse([]byte(sample(name, "https://"+name+":6443", name)))
	if err == nil {
		_, err = Merge(context.Background(), k, MergeOptions{Path: os.Getenv(helperPath)})
	}
	return err
}
