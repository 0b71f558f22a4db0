// SPDX-License-Identifier: Apache-2.0

// Package e2e runs whole flows of the built program with the real Cluster API managers: on a local bootstrap cluster,
// images from a registry on loopback, simulated machines. It holds only tests.
//
// What is run is bin/clusterctl if it is as new as its sources, else a build of them; $CLUSTERCTL_BIN names another one.
// Everything else comes from the parts cache (`make parts`). Each test has directories of its own and leaves no process.
//
// Tests run one after another: Cluster API's Docker provider opens a fixed port on all addresses, so there is one per
// host. Where other programs of that kind run, `unshare -n` gives the tests a network of their own:
//
//	unshare -n sh -c 'ip link set lo up; go test ./test/e2e/...'
package e2e
