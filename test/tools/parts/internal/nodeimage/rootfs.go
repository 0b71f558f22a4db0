// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Filesystems are the tar files that MakeFilesystems writes.
type Filesystems struct{ Node, Proxy, Balancer string }

// In names them in a folder.
func In(dir string) Filesystems {
	return Filesystems{
		Node: filepath.Join(dir, "node.tar"), Proxy: filepath.Join(dir, "kube-proxy.tar"), Balancer: filepath.Join(dir, "haproxy.tar"),
	}
}

// MakeFilesystems makes three file systems of Debian packages: a node's, with
// kind's own files from the folder of its module, what kube-proxy calls, and a
// load balancer's. The folder scratch is for their making.
func MakeFilesystems(ctx context.Context, kind, scratch string, out Filesystems) error {
	node := filepath.Join(scratch, "node")
	if err := unpack(ctx, node); err != nil {
		return err
	}
	if err := inside(ctx, node, tidy); err != nil {
		return err
	}
	if err := copyKindFiles(kind, node); err != nil {
		return err
	}
	if err := inside(ctx, node, services); err != nil {
		return err
	}
	if err := pack(ctx, node, out.Node); err != nil {
		return err
	}
	for _, part := range []struct {
		name, out string
		paths     []string
		files     map[string]string
		check     string
	}{
		{"kube-proxy", out.Proxy, proxyPaths, nil, proxyCheck},
		{"haproxy", out.Balancer, balancerPaths, balancerFiles, balancerCheck},
	} {
		dir := filepath.Join(scratch, part.name)
		if err := extract(node, dir, part.paths); err != nil {
			return fmt.Errorf("files of %s: %w", part.name, err)
		}
		for name, content := range part.files {
			if err := writeFile(filepath.Join(dir, name), content, 0o755); err != nil {
				return err
			}
		}
		if err := inside(ctx, dir, part.check); err != nil {
			return fmt.Errorf("files of %s: %w", part.name, err)
		}
		if err := pack(ctx, dir, part.out); err != nil {
			return err
		}
	}
	return nil
}

// kube-proxy calls these. The modules of iptables are loaded by name, so that no
// program says which libraries they need: the check tries one that needs one more.
var (
	proxyPaths = []string{
		"/bin/sh", "/usr/sbin/iptables", "/usr/sbin/iptables-save", "/usr/sbin/iptables-restore",
		"/usr/sbin/ip6tables", "/usr/sbin/ip6tables-save", "/usr/sbin/ip6tables-restore",
		"/usr/sbin/iptables-legacy", "/usr/sbin/iptables-nft", "/usr/sbin/nft", "/usr/sbin/conntrack", "/sbin/modprobe",
		"/usr/lib/*/xtables/*.so",
	}
	proxyCheck = "iptables -m statistic -h; iptables -m comment -h; conntrack --version; nft --version"
)

// The Docker provider starts haproxy by name and writes its configuration with
// cp. That configuration allows 100,000 connections, for which haproxy wants more
// open files than some hosts grant; it wouldn't listen then.
var (
	balancerPaths = []string{"/bin/sh", "/bin/cp", "/bin/mkdir", "/bin/cat", "/usr/sbin/haproxy", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"}
	balancerFiles = map[string]string{
		"usr/local/bin/haproxy": "#!/bin/sh\nexec /usr/sbin/haproxy -n 4000 \"$@\"\n",
		"usr/local/etc/haproxy/haproxy.cfg": `defaults
  mode tcp
  timeout connect 5000
  timeout client 50000
  timeout server 50000
frontend none
  bind *:8404
`,
	}
	balancerCheck = "/usr/local/bin/haproxy -c -f /usr/local/etc/haproxy/haproxy.cfg; cp --version; cat --version; mkdir -p /tmp"
)

// copyKindFiles copies what kind's own base image adds to its packages.
func copyKindFiles(kind, node string) error {
	source := os.DirFS(filepath.Join(kind, "images", "base", "files"))
	return walkFiles(source, func(name string, data []byte) error {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(name, "usr/local/bin/") || strings.HasPrefix(name, "kind/bin/") {
			mode = 0o755
		}
		content := string(data)
		if name == "etc/containerd/config.toml" {
			// Lower values than its own a process may only set with a capability that machines may lack.
			content = strings.Replace(content, "restrict_oom_score_adj = false", "restrict_oom_score_adj = true", 1)
			if content == string(data) {
				return fmt.Errorf("kind's %s has no restrict_oom_score_adj", name)
			}
		}
		return writeFile(filepath.Join(node, name), content, mode)
	})
}
