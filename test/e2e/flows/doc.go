// SPDX-License-Identifier: Apache-2.0

// Package flows runs whole flows of the built program with the real Cluster API managers: on a local bootstrap cluster,
// images from a registry on loopback, simulated machines. It holds only tests.
//
// Tests run one after another: Cluster API's Docker provider opens a fixed port, so there is one per host.
package flows
