// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package lint pins the linters, apart from what the product is built with.
package lint

import (
	_ "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"
	_ "mvdan.cc/gofumpt"
)
