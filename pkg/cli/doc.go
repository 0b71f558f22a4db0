// SPDX-License-Identifier: Apache-2.0

// Package cli is the program: the root command, signals, logging, and the one place where errors become exit codes.
//
// [Main] needs nothing but its parameters, so that a test can run the program inside of itself.
package cli
