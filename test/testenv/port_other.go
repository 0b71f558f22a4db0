// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package testenv

import (
	"fmt"
	"net"
)

// port is a loopback port that was free a moment ago.
type port struct{ number int }

func reservePort() (*port, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed at once
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	defer l.Close()
	return &port{number: l.Addr().(*net.TCPAddr).Port}, nil
}

func (p *port) release() {}
