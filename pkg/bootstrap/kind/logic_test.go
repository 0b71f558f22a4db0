// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	fine := limits{instances: 1024, watches: 524288, free: 50 << 30}
	for name, tt := range map[string]struct {
		f      facts
		l      limits
		image  string
		faults []string
	}{
		"good":              {facts{Memory: 8 << 30}, fine, "kindest/node:v1.37.0", nil},
		"unknown":           {facts{}, limits{}, "mine", nil},
		"old with cgroup 1": {facts{CgroupV1: true}, fine, "kindest/node:v1.34.4", nil},
		"new with cgroup 1": {facts{CgroupV1: true}, fine, DefaultImage, []string{"cgroup v2"}},
		"everything": {
			facts{CgroupV1: true, Memory: 1 << 30, Root: "/var/lib/docker"},
			limits{instances: 64, watches: 4096, free: 1 << 30},
			"localhost:5000/node:v1.35.0",
			[]string{"1024 MB of memory", "/var/lib/docker", "max_user_instances is 64", "max_user_watches is 4096", "cgroup v2"},
		},
	} {
		err := judge(tt.f, tt.l, []string{tt.image})
		if (err == nil) != (len(tt.faults) == 0) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range tt.faults {
			if !strings.Contains(err.Error(), want) || fault.CodeOf(err) != fault.Refused {
				t.Errorf("%s: %q is missing in %v", name, want, err)
			}
		}
	}
	if got := tight(limits{instances: 128, watches: 8192}); len(got) != 2 {
		t.Errorf("tight: %q", got)
	}
}

func TestParseFacts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want facts
	}{
		"docker": {`{"CgroupVersion":"1","MemTotal":4096,"DockerRootDir":"/d","OperatingSystem":"Debian"}`, facts{CgroupV1: true, Memory: 4096, Root: "/d"}},
		"vm":     {`{"CgroupVersion":"2","OperatingSystem":"Docker Desktop"}`, facts{Remote: true}},
		"podman": {`{"host":{"cgroupVersion":"v2","memTotal":7,"serviceIsRemote":true},"store":{"graphRoot":"/p"}}`, facts{Memory: 7, Root: "/p", Remote: true}},
		"junk":   {`oops`, facts{}},
	} {
		if got := parseFacts([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) string {
		file := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_")+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const head = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"
	for name, tt := range map[string]struct {
		file   string
		socket bool
		want   []string
		mounts int
		images int
		bad    string
	}{
		"nothing":      {want: []string{"kind: Cluster"}, images: 1},
		"socket":       {socket: true, want: []string{"hostPath: /run/user/7/docker.sock", "role: control-plane"}, mounts: 1, images: 1},
		"two nodes":    {file: head + "nodes: [{role: control-plane}, {role: worker, image: mine:v1}]", socket: true, mounts: 2, images: 2},
		"own mount":    {file: head + "nodes: [{role: control-plane, extraMounts: [{hostPath: /x, containerPath: /var/run/docker.sock}]}]", socket: true, want: []string{"hostPath: /x"}, mounts: 1, images: 1},
		"kept":         {file: head + "networking: {podSubnet: 10.0.0.0/16}", want: []string{"podSubnet: 10.0.0.0/16"}, images: 1},
		"another kind": {file: "kind: Pod\napiVersion: v1\n", bad: "not a kind configuration"},
		"rubbish":      {file: "{", bad: "read kind configuration"},
		"nodes":        {file: head + "nodes: 3", socket: true, bad: "line 3: cannot unmarshal"},
		"a slip":       {file: head + "nodez: []", bad: "line 3: field nodez not found"},
		"twice":        {file: head + "nodes: []\nnodes: []", bad: "already defined"},
	} {
		o := Options{MountEngineSocket: tt.socket, Getenv: func(string) string { return "unix:///run/user/7/docker.sock" }}
		if tt.file != "" {
			o.ConfigFile = write(tt.file)
		}
		out, err := o.config()
		if tt.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tt.bad) || fault.CodeOf(err) != fault.Usage {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: %q is missing in:\n%s", name, want, out)
			}
		}
		if n := strings.Count(string(out), "containerPath: /var/run/docker.sock"); n != tt.mounts {
			t.Errorf("%s: %d mounts in:\n%s", name, n, out)
		}
		if n := len(o.images(out)); n != tt.images {
			t.Errorf("%s: %d images", name, n)
		}
	}
	if _, err := (Options{ConfigFile: filepath.Join(dir, "nothing")}).config(); fault.CodeOf(err) != fault.Usage {
		t.Errorf("no file: %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"permission denied while trying to connect to the Docker daemon socket":                   "usermod -aG docker",
		"Cannot connect to the Docker daemon. Is the docker daemon running?":                      "systemctl start docker",
		"Cannot connect to the Docker daemon at tcp://127.0.0.1:9. Is the docker daemon running?": "DOCKER_HOST",
		"dial tcp: lookup nowhere: no such host":                                                  "DOCKER_HOST",
		"something else":                                                                          "--bootstrap local",
	} {
		err := unreachable("docker", "", errors.New(text))
		if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, want) || fault.CodeOf(err) != fault.Refused {
			t.Errorf("%s: %s", text, hints)
		}
	}
	if err := noEngine([]string{"docker"}); !errors.Is(err, bootstrap.ErrUnsupported) {
		t.Error(err)
	}
}

// TestProgressOf pins what kind's status lines look like.
func TestProgressOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		" • Starting control-plane 🕹️  ...\n": "Starting control-plane",
		" • Preparing nodes 📦 📦   ...\n":      "Preparing nodes",
		" ✓ Starting control-plane 🕹️\n":      "",
		"Creating cluster \"x\" ...\n":        "",
	} {
		if got, ok := progressOf(line); got != want || ok != (want != "") {
			t.Errorf("%q: %q", line, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 63)
	if name := clusterName(long, randomSuffix()); len(name) > 50 {
		t.Errorf("%s has %d characters, kind wants at most 50", name, len(name))
	}
	if first, second := randomSuffix(), randomSuffix(); first == second {
		t.Error("two runs meet")
	}
	for _, bad := range []string{"A", "../x", ".x", strings.Repeat("a", 64)} {
		if ValidateName(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if minor, ok := minorOf(DefaultImage); !ok || minor < 34 {
		t.Errorf("%s: %d, %v", DefaultImage, minor, ok)
	}
}

// fakeProgram puts a docker into PATH that says what it is told.
func fakeProgram(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // It is a program.
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestEngine(t *testing.T) {
	none := func(string) string { return "" }
	fakeProgram(t, "exit 0")
	if name, err := Engine(t.Context(), none); err != nil || name != "docker" {
		t.Errorf("%s, %v", name, err)
	}
	if _, err := Engine(t.Context(), func(string) string { return "podman" }); !errors.Is(err, bootstrap.ErrUnsupported) {
		t.Errorf("podman is asked for: %v", err)
	}
	fakeProgram(t, "echo 'Got permission denied while trying to connect' >&2; exit 1")
	if _, err := Engine(t.Context(), none); fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("no rights: %v", err)
	}
}
