// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Pins cert-manager. Its commands are in packages of this module up to v1.11; later ones have
// modules of their own, which can't be had from a module proxy.
package main

import (
	_ "github.com/cert-manager/cert-manager/cmd/cainjector"
	_ "github.com/cert-manager/cert-manager/cmd/controller"
	_ "github.com/cert-manager/cert-manager/cmd/webhook"
)
