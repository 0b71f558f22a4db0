// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ports reads the table of a bootstrap.
func ports(t *testing.T, c *local.Cluster) map[string]int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.Dir(), "ports.json"))
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]int{}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

// occupy listens on a port until the test ends.
func occupy(t *testing.T, port int) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
}

func TestPortsTakenWhileStopped(t *testing.T) {
	f := newFixture(t)
	image := push(t, startRegistry(t), "demo/manager", managerProgram(t))
	c := f.bootstrap(t, "ports")
	ensure(t, c)
	install(t, c, image)
	awaitAvailable(t, clientset(t, c.Kubeconfig()), demoNamespace, demoDeployment)
	if err := c.Stop(t.Context(), logSink(t)); err != nil {
		t.Fatal(err)
	}
	if left := marked(t, c.Dir()); len(left) > 0 {
		t.Fatalf("processes are left after Stop: %v", left)
	}
	const webhook = demoNamespace + "/" + demoDeployment + "/webhook-server"
	before := ports(t, c)
	for _, key := range []string{"etcd", "kube-apiserver", webhook} {
		occupy(t, before[key])
	}
	ensure(t, c)
	client := clientset(t, c.Kubeconfig())
	eventually(t, 30*time.Second, func() string {
		name := "refused-" + strconv.FormatInt(time.Now().UnixNano(), 10)
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if err == nil || !strings.Contains(err.Error(), "the manager refuses it") {
			return "the webhook doesn't answer at its new port: " + errText(err)
		}
		return ""
	})
	for key, port := range ports(t, c) {
		if moved := port != before[key]; moved != (key == "etcd" || key == "kube-apiserver" || key == webhook) {
			t.Errorf("%s: port %d → %d", key, before[key], port)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

func TestNobodyElseGetsIn(t *testing.T) {
	f := newFixture(t)
	c := f.bootstrap(t, "closed")
	ensure(t, c)
	table := ports(t, c)
	anyone := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
	}}
	get := func(port int, path string) (int, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://127.0.0.1:"+strconv.Itoa(port)+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := anyone.Do(req)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
	for _, path := range []string{"/api", "/version", "/healthz", "/api/v1/secrets"} {
		if code, err := get(table["kube-apiserver"], path); code != http.StatusUnauthorized {
			t.Errorf("kube-apiserver %s: %d, %v", path, code, err)
		}
	}
	for _, key := range []string{"etcd", "etcd-peer"} {
		if code, err := get(table[key], "/health"); err == nil {
			t.Errorf("%s answers %d without a client certificate", key, code)
		}
	}
	if code, err := get(table["kube-controller-manager"], "/metrics"); code == http.StatusOK {
		t.Errorf("kube-controller-manager /metrics: %d, %v", code, err)
	}
	for key, port := range table {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(hostAddress(t), strconv.Itoa(port)), time.Second)
		if err == nil {
			_ = conn.Close()
			t.Errorf("%s listens on more than loopback", key)
		}
	}
}

// hostAddress is an address of this host that isn't loopback's, or else one that nobody has.
func hostAddress(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return "192.0.2.1"
}

func TestSeveralBootstraps(t *testing.T) {
	f := newFixture(t)
	one, two := f.bootstrap(t, "one"), f.bootstrap(t, "two")
	ensure(t, one)
	ensure(t, two)
	seen := map[int]string{}
	for _, c := range []*local.Cluster{one, two} {
		for key, port := range ports(t, c) {
			if other := seen[port]; other != "" {
				t.Errorf("port %d is %s's and %s's", port, other, key)
			}
			seen[port] = c.Name() + " " + key
		}
	}
	infos, err := local.List(f.dirs)
	if err != nil || len(infos) != 2 || infos[0].Name != "one" || infos[0].State != bootstrap.Running || infos[0].Endpoint == "" || infos[0].SupervisorPID == 0 {
		t.Errorf("List: %+v, %v", infos, err)
	}
	if err := one.Delete(t.Context(), logSink(t)); err != nil {
		t.Fatal(err)
	}
	if st, err := two.Status(t.Context()); err != nil || st.State != bootstrap.Running {
		t.Errorf("the other one: %+v, %v", st, err)
	}
	if st, err := one.Status(t.Context()); err != nil || st.State != bootstrap.Missing {
		t.Errorf("the deleted one: %+v, %v", st, err)
	}
}

func TestFailedStartLeavesNothing(t *testing.T) {
	for _, tt := range []struct{ name, program, script, want string }{
		{"etcd ends", "etcd", "echo 'no space left on device, giving up: error' >&2; exit 7", "start etcd: exited with code 7: no space left on device"},
		{"API server ends", "kube-apiserver", "echo 'Error: unknown flag: --x' >&2; exit 1", "start kube-apiserver: exited with code 1: Error: unknown flag"},
		{"not a program", "kube-controller-manager", "", "kube-controller-manager: not a program for linux/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			f.assets = brokenAssets(t, f.assets, tt.program, tt.script)
			c := f.bootstrap(t, "broken")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := c.Ensure(ctx, logSink(t))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Ensure: %v", err)
			}
			t.Log(err, fault.Hints(err))
			if left := marked(t, c.Dir()); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
			want := bootstrap.Stopped
			if tt.program == "etcd" { // Nothing was ever stored.
				want = bootstrap.Missing
			}
			if st, err := c.Status(t.Context()); err != nil || st.State != want {
				t.Errorf("Status: %+v, %v", st, err)
			}
			if infos, err := local.List(f.dirs); err != nil || len(infos) != 1 || infos[0].State != bootstrap.Stopped || infos[0].Detail == "" {
				t.Errorf("List: %+v, %v", infos, err)
			}
		})
	}
}

// brokenAssets is a directory of the real programs with one replaced by a script, or by rubbish.
func brokenAssets(t *testing.T, assets, program, script string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager"} {
		if name == program {
			content := "rubbish"
			if script != "" {
				content = "#!/bin/sh\n" + script + "\n"
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.Symlink(filepath.Join(assets, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestForeignDirectoryIsLeftAlone(t *testing.T) {
	f := newFixture(t)
	c, err := local.New(f.options("foreign"))
	if err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(c.Dir(), "precious")
	if err := os.MkdirAll(c.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"Ensure": func() error { return c.Ensure(t.Context(), nil) },
		"Delete": func() error { return c.Delete(t.Context(), nil) },
	} {
		if err := call(); fault.CodeOf(err) != fault.Refused || len(fault.Hints(err)) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestDamagedMarker(t *testing.T) {
	f := newFixture(t)
	c := f.bootstrap(t, "damaged")
	ensure(t, c)
	if err := os.WriteFile(filepath.Join(c.Dir(), "bootstrap.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Ensure(t.Context(), nil); fault.CodeOf(err) != fault.Refused {
		t.Errorf("Ensure: %v", err)
	}
	if err := c.Delete(t.Context(), logSink(t)); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if left := marked(t, c.Dir()); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

func TestUnreachableDownloads(t *testing.T) {
	f := newFixture(t)
	opts := f.options("offline")
	opts.AssetsDir = ""
	opts.Downloads = local.Downloads{Kubernetes: "http://127.0.0.1:1", Etcd: "http://127.0.0.1:1"}
	c, err := local.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Ensure(t.Context(), nil)
	if fault.CodeOf(err) != fault.Refused || !strings.Contains(strings.Join(fault.Hints(err), " "), "--local-assets") {
		t.Errorf("Ensure: %v, hints %q", err, fault.Hints(err))
	}
	if _, err := os.Stat(c.Dir()); !os.IsNotExist(err) {
		t.Errorf("something is left: %v", err)
	}
	if err := c.Delete(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, change := range map[string]func(*local.Options){
		"a path as name":   func(o *local.Options) { o.Name = "../../etc" },
		"upper case":       func(o *local.Options) { o.Name = "Demo" },
		"a long name":      func(o *local.Options) { o.Name = strings.Repeat("a", 64) },
		"a wrong version":  func(o *local.Options) { o.KubernetesVersion = "../v1" },
		"a relative state": func(o *local.Options) { o.Dirs.State = "state" },
		"a long path":      func(o *local.Options) { o.Dirs.State = "/" + strings.Repeat("a", 4000) },
	} {
		opts := f.options("demo")
		change(&opts)
		if _, err := local.New(opts); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDeleteWhatIsNotThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c, err := local.New(f.options("nothing"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Delete(t.Context(), nil), c.Stop(t.Context(), nil)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.dirs.State); !os.IsNotExist(err) {
		t.Errorf("deleting made something: %v", err)
	}
	if _, err := c.Prepare(nil); err == nil {
		t.Error("Prepare works before Ensure")
	}
}

func TestPreflightFindsAFolderOfProgramsThatIsNone(t *testing.T) {
	t.Parallel()
	opts := newFixture(t).options("nofolder")
	opts.AssetsDir = filepath.Join(t.TempDir(), "nowhere")
	c, err := local.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Preflight(t.Context(), nil); fault.CodeOf(err) != fault.Usage || len(fault.Hints(err)) == 0 {
		t.Errorf("error %v, want one of class Usage with a hint", err)
	}
}
