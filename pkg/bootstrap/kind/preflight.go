// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// What a host must have for one node and the providers: below the minimum a start is refused, below what is good it is warned of.
const (
	minMemory    = 2 << 30
	minFree      = 3 << 30
	minInstances = 128
	minWatches   = 8192
	goodInstance = 512
	goodWatches  = 65536
	// noCgroupV1 is the minor version whose kubelet refuses cgroup v1.
	noCgroupV1 = 35
)

// facts are what the engine says about its host.
type facts struct {
	CgroupV1 bool
	Memory   int64
	// Root is the directory of its images; empty where it isn't on this host.
	Root string
	// Remote says that the engine runs in a virtual machine or elsewhere: this host's limits aren't its own.
	Remote bool
}

// limits are what this host says; 0 means unknown.
type limits struct {
	instances, watches int64
	free               uint64
}

// Preflight checks what Ensure will need of this host and changes nothing; of a cluster that was made already it needs the engine only.
func (c *Cluster) Preflight(ctx context.Context, sink event.Sink) error {
	rec, err := c.readRecord()
	if err != nil {
		return err
	}
	if rec != nil && rec.Complete {
		_, err := c.open(ctx, rec.Engine, sink)
		return err
	}
	config, err := c.opts.config()
	if err != nil {
		return err
	}
	_, err = c.preflight(ctx, config, sink)
	return err
}

// preflight checks all that a start needs, all faults at once.
func (c *Cluster) preflight(ctx context.Context, config []byte, sink event.Sink) (engine, error) {
	var faults fault.List
	e, err := c.open(ctx, "", sink)
	faults.Add(err)
	for _, image := range c.opts.LoadImages {
		if e == nil && !IsArchive(image) {
			continue // There is no one to ask.
		}
		if _, err := sourceOf(ctx, e, image); err != nil {
			faults.Add(err)
		}
	}
	if e == nil {
		return nil, faults.Err()
	}
	f, err := e.facts(ctx)
	if err != nil {
		return nil, err
	}
	l := hostLimits(f)
	faults.Add(judge(f, l, c.opts.images(config)))
	if c.opts.MountEngineSocket && e.name() != "docker" {
		event.Warnf(sink, "the Docker provider talks to Docker; the engine here is %s", e.name())
	}
	for _, w := range tight(l) {
		event.Warnf(sink, "%s", w)
	}
	return e, faults.Err()
}

// judge says everything that keeps a start from succeeding.
func judge(f facts, l limits, images []string) error {
	var faults fault.List
	add := func(hint, format string, args ...any) {
		faults.Add(fault.WithHint(fault.Refusedf(format, args...), "%s", hint))
	}
	if f.Memory > 0 && f.Memory < minMemory {
		add("give the engine (or its virtual machine) at least 2 GB, better 4 GB",
			"the container engine has %d MB of memory, a management cluster needs %d", f.Memory>>20, minMemory>>20)
	}
	if l.free > 0 && l.free < minFree {
		add("free some, for example: docker system prune",
			"only %d MB are free in %s, where the engine keeps its images; at least %d are needed", l.free>>20, f.Root, minFree>>20)
	}
	if l.instances > 0 && l.instances < minInstances {
		add("sudo sysctl fs.inotify.max_user_instances=1024",
			"fs.inotify.max_user_instances is %d: nodes fail with \"too many open files\"", l.instances)
	}
	if l.watches > 0 && l.watches < minWatches {
		add("sudo sysctl fs.inotify.max_user_watches=524288",
			"fs.inotify.max_user_watches is %d: nodes fail with \"too many open files\"", l.watches)
	}
	for _, image := range images {
		if minor, ok := minorOf(image); ok && minor >= noCgroupV1 && f.CgroupV1 {
			add("use an older one (--kind-image kindest/node:v1.34.4), or boot the host with cgroup v2 (systemd.unified_cgroup_hierarchy=1)",
				"this host has cgroup v1, and the kubelet of Kubernetes 1.%d (%s) needs cgroup v2", minor, image)
		}
	}
	return faults.Err()
}

// tight warns of limits that hold for one node and not for many.
func tight(l limits) []string {
	var out []string
	if l.instances >= minInstances && l.instances < goodInstance {
		out = append(out, fmt.Sprintf("fs.inotify.max_user_instances is %d, enough for a few nodes only: sudo sysctl fs.inotify.max_user_instances=1024", l.instances))
	}
	if l.watches >= minWatches && l.watches < goodWatches {
		out = append(out, fmt.Sprintf("fs.inotify.max_user_watches is %d, enough for a few nodes only: sudo sysctl fs.inotify.max_user_watches=524288", l.watches))
	}
	return out
}

// facts asks the engine; what it doesn't say isn't judged.
func (e *cli) facts(ctx context.Context) (facts, error) {
	out, err := e.run(ctx, nil, "info", "--format", "{{json .}}")
	if err != nil {
		return facts{}, fmt.Errorf("ask the container engine: %w", err)
	}
	return parseFacts([]byte(out)), nil
}

// parseFacts reads what docker and nerdctl say, or what podman does.
func parseFacts(data []byte) facts {
	var docker struct {
		CgroupVersion   string `json:"CgroupVersion"`
		MemTotal        int64  `json:"MemTotal"`
		DockerRootDir   string `json:"DockerRootDir"`
		OperatingSystem string `json:"OperatingSystem"`
	}
	var podman struct {
		Host struct {
			CgroupVersion   string `json:"cgroupVersion"`
			MemTotal        int64  `json:"memTotal"`
			ServiceIsRemote bool   `json:"serviceIsRemote"`
		} `json:"host"`
		Store struct {
			GraphRoot string `json:"graphRoot"`
		} `json:"store"`
	}
	if json.Unmarshal(data, &podman) == nil && podman.Host.CgroupVersion != "" {
		return facts{
			CgroupV1: podman.Host.CgroupVersion == "v1", Memory: podman.Host.MemTotal,
			Root: podman.Store.GraphRoot, Remote: podman.Host.ServiceIsRemote,
		}
	}
	_ = json.Unmarshal(data, &docker) // What it doesn't say isn't judged.
	return facts{
		CgroupV1: docker.CgroupVersion == "1", Memory: docker.MemTotal, Root: docker.DockerRootDir,
		Remote: strings.Contains(docker.OperatingSystem, "Docker Desktop"),
	}
}
