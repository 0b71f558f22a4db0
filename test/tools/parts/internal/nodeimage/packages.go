// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Suite is the Debian release that the packages are from. Its containerd suits
// kind's configuration of it.
const Suite = "bookworm"

// Packages are what kind's own base image has of Debian, a container runtime, the
// standard network plug-ins, and the load balancer, which is taken out into an image of its own.
var Packages = []string{
	"systemd", "systemd-sysv", "conntrack", "iptables", "nftables", "iproute2", "ethtool", "util-linux", "mount", "kmod",
	"libseccomp2", "pigz", "e2fsprogs", "bash", "ca-certificates", "curl", "jq", "procps",
	"containerd", "runc", "containernetworking-plugins", "haproxy",
}

// unsynced configures dpkg while the file system is made.
const unsynced = "etc/dpkg/dpkg.cfg.d/unsynced"

// unpack makes a Debian file system in dir.
func unpack(ctx context.Context, dir string) error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("a file system of Debian packages can be made by root only")
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		if _, err := exec.LookPath("apt-get"); err != nil {
			return fmt.Errorf("debootstrap is needed: %w", err)
		}
		_ = command(ctx, "apt-get", "update", "-q").Run() // A source that can't be reached may not matter.
		if err := run(command(ctx, "apt-get", "install", "-qq", "--yes", "--no-install-recommends", "debootstrap")); err != nil {
			return err
		}
	}
	// Nobody needs these packages after a power failure: they needn't be synced to the disk one by one.
	if err := writeFile(filepath.Join(dir, unsynced), "force-unsafe-io\n", 0o644); err != nil {
		return err
	}
	// The packages come from where debootstrap gets them by default; it honours http_proxy. What it mounts is gone with it this
	// way, even if it is killed.
	return run(command(ctx, "unshare", "--mount", "debootstrap", "--variant=minbase", "--include="+strings.Join(Packages, ","), Suite, dir))
}

// tidy is what kind's base image does with its packages: it leaves no services
// but the ones that a node needs. What only people read is left out too.
const tidy = `
find /lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete
rm -f /lib/systemd/system/multi-user.target.wants/* /etc/systemd/system/*.wants/* /lib/systemd/system/local-fs.target.wants/*
rm -f /lib/systemd/system/sockets.target.wants/*udev* /lib/systemd/system/sockets.target.wants/*initctl*
echo ReadKMsg=no >> /etc/systemd/journald.conf
rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf/*-old /var/log/* /usr/share/doc /usr/share/man /usr/share/locale
mkdir -p /etc/kubernetes/manifests /opt/cni/bin /etc/cni/net.d /kind/manifests
for plugin in host-local loopback ptp portmap; do cp /usr/lib/cni/$plugin /opt/cni/bin/; done
for program in containerd ctr; do ln -sf /usr/bin/$program /usr/local/bin/$program; done
rm -f /etc/dpkg/dpkg.cfg.d/unsynced /etc/machine-id /var/lib/dbus/machine-id
: > /etc/machine-id
`

// services is what needs kind's files first.
const services = `
systemctl enable kubelet.service containerd.service undo-mount-hacks.service
systemctl mask systemd-binfmt.service
ctr oci spec |
  jq '.hooks.createContainer[.hooks.createContainer | length] |= . + {"path": "/kind/bin/mount-product-files.sh"} | del(.process.rlimits)' \
  > /etc/containerd/cri-base.json
`

// inside runs a shell script in the file system in dir.
func inside(ctx context.Context, dir, script string) error {
	return run(command(ctx, "chroot", dir, "/bin/sh", "-euc", script))
}

// pack writes the file system in dir as a tar file.
func pack(ctx context.Context, dir, out string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	return run(command(ctx, "tar", "--create", "--file", out, "--directory", dir, "--numeric-owner", "--sort=name", "--one-file-system", "."))
}

// command is a command of Debian's, with the language and the paths that they expect.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	return cmd
}

// run runs a command. Its error holds the end of what it said.
func run(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(out))
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Args[0]), err, text[max(0, len(text)-2000):])
	}
	return nil
}
