// SPDX-License-Identifier: Apache-2.0

// Command bench measures clusterctl side by side with what else does the job: the start of the command line with
// upstream's clusterctl, a local bootstrap cluster with a shell script that does the same by hand. It also counts
// the requests of an installation, and looks at the memory that a whole flow takes. It writes a report in Markdown:
// goals and results. It is no test: a goal that is missed is a line in the report, and no failure.
//
// It is run from the root of the repository, on a machine that does nothing else, after "make build":
//
//	go run ./test/bench -out docs/benchmarks.md
//
// With -only containers, on a host with a container engine and the images of the tests, it compares the way to a
// self-managed cluster of containers with kind and upstream's clusterctl, and the kinds of bootstrap clusters.
//
// Everything is done in a temporary folder, on ports of loopback (but for port 19000, which the Docker provider's
// manager needs), and ended again. Linux only, as local bootstrap clusters are.
package main
