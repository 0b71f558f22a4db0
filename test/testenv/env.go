// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Env is a running control plane.
type Env struct {
	// REST connects as an administrator (group system:masters) with a bearer token. Copy it before changing it.
	REST *rest.Config
	// Kubeconfig is the path of a kubeconfig of the same administrator; its one context is "testenv", namespace default.
	Kubeconfig string
	// AuditLog is the path of the audit log: every write, at Metadata level, one JSON event a line.
	AuditLog string
	// Dir is where everything of this control plane is kept: logs, certificates, data.
	Dir string

	opts      options
	ca        *authority
	port      *port
	socketDir string
	etcd      *process
	apiserver *process
	manager   *keeper
}

type options struct {
	controllerManager bool
	apiserverArgs     []string
}

// Option changes what Start and Main start.
type Option func(*options)

// WithControllerManager adds kube-controller-manager with its garbage collector and namespace controller.
func WithControllerManager() Option {
	return func(o *options) { o.controllerManager = true }
}

// WithAPIServerArgs adds arguments to kube-apiserver's.
func WithAPIServerArgs(args ...string) Option {
	return func(o *options) { o.apiserverArgs = append(o.apiserverArgs, args...) }
}

// Start starts a control plane for one test and stops it at the test's end. If the
// test failed, the last lines of the programs' logs are shown.
func Start(tb testing.TB, opts ...Option) *Env {
	tb.Helper()
	e, err := start(tb.TempDir(), opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		e.stop()
		if tb.Failed() {
			tb.Log(e.tails(6))
		}
	})
	return e
}

// Main starts a control plane that the tests of a package share, runs them and stops it.
// It hands the Env to use first and returns the code for os.Exit:
//
//	var env *testenv.Env
//	func TestMain(m *testing.M) { os.Exit(testenv.Main(m, func(e *testenv.Env) { env = e })) }
func Main(m *testing.M, use func(*Env), opts ...Option) int {
	return mains(m, 1, func(list []*Env) { use(list[0]) }, opts)
}

// MainPair is Main with two control planes, for what goes from one to the other.
func MainPair(m *testing.M, use func(a, b *Env), opts ...Option) int {
	return mains(m, 2, func(list []*Env) { use(list[0], list[1]) }, opts)
}

func mains(m *testing.M, n int, use func([]*Env), opts []Option) int {
	var list []*Env
	for range n {
		dir, err := os.MkdirTemp("", "testenv-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		e, err := start(dir, opts...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer e.stop()
		list = append(list, e)
	}
	use(list)
	code := m.Run()
	if code != 0 {
		for _, e := range list {
			fmt.Fprintln(os.Stderr, e.tails(6))
		}
	}
	return code
}

// New starts a control plane outside of a test; everything of it is kept in dir. The function that comes with it stops it.
func New(dir string, opts ...Option) (*Env, func(), error) {
	e, err := start(dir, opts...)
	if err != nil {
		return nil, nil, err
	}
	return e, e.stop, nil
}

func start(dir string, opts ...Option) (*Env, error) {
	e := &Env{Dir: dir, AuditLog: filepath.Join(dir, "audit.log"), Kubeconfig: filepath.Join(dir, "admin.kubeconfig")}
	for _, o := range opts {
		o(&e.opts)
	}
	if err := errors.Join(e.prepare(), e.run()); err != nil {
		e.stop()
		return nil, fmt.Errorf("start test control plane: %w\n%s", err, e.tails(6))
	}
	return e, nil
}

// run starts the programs and waits until the API server is ready.
func (e *Env) run() error {
	if e.port == nil {
		return nil // prepare failed and said why
	}
	if err := e.startEtcd(); err != nil {
		return err
	}
	if err := e.startAPIServer(); err != nil {
		return err
	}
	if e.opts.controllerManager {
		return e.startControllerManager()
	}
	return nil
}

func (e *Env) stop() {
	e.manager.stop()
	e.apiserver.stop()
	e.etcd.stop()
	if e.port != nil {
		e.port.release()
	}
	if e.socketDir != "" {
		_ = os.RemoveAll(e.socketDir)
	}
}

func (e *Env) tails(lines int) string {
	return e.etcd.tail(lines) + "\n" + e.apiserver.tail(lines) + "\n" + e.manager.process().tail(lines)
}

// waitReady waits until /readyz answers 200 and the namespaces that every cluster has are there.
func (e *Env) waitReady(ctx context.Context) error {
	client, err := rest.HTTPClientFor(e.REST)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"} {
		if err := e.waitFor(ctx, client, path); err != nil {
			return err
		}
	}
	return nil
}

func (e *Env) waitFor(ctx context.Context, client *http.Client, path string) error {
	var last error
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.REST.Host+path, nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err != nil {
			last = err
		} else if _ = resp.Body.Close(); resp.StatusCode == http.StatusOK {
			return nil
		} else {
			last = errors.New(resp.Status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", path, last)
		case <-e.apiserver.exited:
			return errors.New("kube-apiserver exited")
		case <-time.After(50 * time.Millisecond):
		}
	}
}
