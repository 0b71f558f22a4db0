// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// noEngine says that no engine is installed.
func noEngine(tried []string) error {
	err := fmt.Errorf("use a kind bootstrap cluster: %w: no container engine found (looked for %s)", bootstrap.ErrUnsupported, strings.Join(tried, ", "))
	return fault.WithHint(fault.WithCode(fault.Refused, err), "install Docker or Podman, or use --bootstrap local (Linux) or --bootstrap existing")
}

// unreachable says why an engine that is installed doesn't answer, and what helps.
func unreachable(bin, _ string, err error) error {
	hint := "start it, or use --bootstrap local (Linux) or --bootstrap existing"
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "permission denied"):
		hint = fmt.Sprintf("add yourself to its group (sudo usermod -aG %s $USER, then log in again), or run it rootless", bin)
	case strings.Contains(text, "no such host"), strings.Contains(text, "dial tcp"), strings.Contains(text, " at tcp://"), strings.Contains(text, " at ssh://"):
		hint = "check DOCKER_HOST and the docker context"
	case strings.Contains(text, "is the docker daemon running"), strings.Contains(text, "connection refused"):
		hint = fmt.Sprintf("start it: sudo systemctl start %s", bin)
	}
	return fault.WithHint(fault.WithCode(fault.Refused, fmt.Errorf("the container engine doesn't answer: %w", err)), "%s", hint)
}
