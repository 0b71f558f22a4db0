// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"path/filepath"
	"strings"
	"time"

	clientrest "k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/test/testenv"
)

// line is a way to a server on which every round trip takes longer; as much passes as without it.
type line struct {
	listener net.Listener
	to       string
	oneWay   time.Duration
}

func slowLine(host string, roundTrip time.Duration) (*line, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &line{listener: l, to: strings.TrimPrefix(host, "https://"), oneWay: roundTrip / 2}
	go s.serve()
	return s, nil
}

func (s *line) close() { _ = s.listener.Close() }

func (s *line) serve() {
	for {
		in, err := s.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", s.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		go s.pump(in, out)
		go s.pump(out, in)
	}
}

type packet struct {
	due  time.Time
	data []byte
}

// pump hands on what it reads, each piece as much later as the line is long.
func (s *line) pump(from, to net.Conn) {
	queue := make(chan packet, 4096)
	go func() {
		defer close(queue)
		for {
			buf := make([]byte, 64<<10)
			n, err := from.Read(buf)
			if n > 0 {
				queue <- packet{time.Now().Add(s.oneWay), buf[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range queue {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	_ = to.Close()
	for range queue { // let the reader end
	}
}

// kubeconfig leads to the server over the line.
func (s *line) kubeconfig(dir string, e *testenv.Env) (string, error) {
	cfg := clientrest.CopyConfig(e.REST)
	cfg.Host = "https://" + s.listener.Addr().String()
	path := filepath.Join(dir, "slow.kubeconfig")
	return path, testenv.WriteKubeconfig(path, "slow", cfg)
}
