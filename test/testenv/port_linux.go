// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// port is a free loopback port that stays ours: it is bound, without listening, for as
// long as the test runs. kube-apiserver listens on it with --permit-port-sharing.
// While no server listens, connections are refused, as they should be.
type port struct {
	number int
	fd     int
}

func reservePort() (*port, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	p := &port{fd: fd}
	if err := p.bind(); err != nil {
		p.release()
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return p, nil
}

func (p *port) bind() error {
	if err := unix.SetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	if err := unix.Bind(p.fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	addr, err := unix.Getsockname(p.fd)
	if err != nil {
		return err
	}
	in4, ok := addr.(*unix.SockaddrInet4)
	if !ok {
		return fmt.Errorf("unexpected address %T", addr)
	}
	p.number = in4.Port
	return nil
}

func (p *port) release() { _ = unix.Close(p.fd) }
