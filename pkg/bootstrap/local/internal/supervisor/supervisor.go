// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rotate"
)

// startFailures is how often a process of the control plane may end before it was ever ready.
const startFailures = 3

// supervisor is what keeps one bootstrap cluster running.
type supervisor struct {
	dir     layout.Dir
	meta    layout.Meta
	config  layout.Config
	environ []string

	certs   *certs
	probes  *probes
	table   *table
	spawner *proc.Spawner
	logger  *log.Logger

	apiserver *process
	kcm       *process
	// relocated tells the providers' part that the API server has a new address.
	relocated chan struct{}
}

// Run keeps the bootstrap cluster in d running until ctx ends; when it returns, nothing of it runs any more.
func Run(ctx context.Context, d layout.Dir, environ []string) error {
	proc.Umask()
	held, err := lock.Try(d.SupervisorLock())
	if errors.Is(err, lock.ErrHeld) {
		return fmt.Errorf("supervise %s: another supervisor does", d)
	}
	if err != nil {
		return err
	}
	defer held.Release()
	self, err := proc.Self()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.Logs(), 0o700); err != nil {
		return err
	}
	own, err := rotate.Open(d.Log("supervisor"))
	if err != nil {
		return err
	}
	defer func() { _ = own.Close() }()
	s := &supervisor{
		dir: d, environ: environ, table: newTable(d, self), relocated: make(chan struct{}, 1),
		logger: log.New(own, "", log.LstdFlags|log.LUTC),
	}
	s.table.set(func(*layout.Status) {})
	err = s.run(ctx)
	s.table.set(func(st *layout.Status) {
		st.Phase = layout.Stopped
		if err != nil {
			st.Phase, st.Message = layout.Failed, err.Error()
		}
	})
	return err
}

func (s *supervisor) run(ctx context.Context) error {
	if err := s.load(); err != nil {
		return err
	}
	s.spawner = proc.NewSpawner()
	defer s.spawner.Close()
	etcd, detached := s.etcd(), context.WithoutCancel(ctx)
	s.apiserver, s.kcm = s.kubeAPIServer(), s.controllerManager()

	// Each group ends when it is told to, in an order that isn't that of the contexts.
	stopEtcd := start(detached, etcd.run)
	defer stopEtcd()
	stopAPI := start(detached, func(ctx context.Context) {
		if s.listens(ctx, etcd) { // The API server loads while etcd finds its feet.
			s.apiserver.run(ctx)
		}
	})
	defer stopAPI()
	if err := s.await(ctx, etcd, s.apiserver); err != nil || ctx.Err() != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	stopKCM := start(detached, s.kcm.run)
	defer stopKCM()
	stopPods := start(detached, s.pods)
	defer stopPods()
	if err := s.await(ctx, s.kcm); err != nil || ctx.Err() != nil {
		return err
	}
	s.table.set(func(st *layout.Status) { st.Phase = layout.Running })
	<-ctx.Done()
	s.table.set(func(st *layout.Status) { st.Phase = layout.Stopping })
	return nil
}

// load reads what to run and makes the certificates.
func (s *supervisor) load() (err error) {
	if s.meta, err = s.dir.ReadMeta(); err != nil {
		return err
	}
	if err := layout.ReadJSON(s.dir.Config(), &s.config); err != nil {
		return err
	}
	for _, dir := range []string{s.dir.PKI(), s.dir.Logs(), s.dir.Pods(), s.dir.Etcd()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if s.certs, err = ensureCerts(s.dir); err != nil {
		return err
	}
	s.probes, err = newProbes(s.certs)
	return err
}

// start runs f until the returned function is called, which waits for its end.
func start(parent context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(parent)
	var wg sync.WaitGroup
	wg.Go(func() { f(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// await waits until all processes are ready; it gives up on one that keeps ending, and at the start's deadline.
func (s *supervisor) await(ctx context.Context, ps ...*process) error {
	deadline := time.After(s.config.StartTimeout)
	for {
		waiting := slices.IndexFunc(ps, func(p *process) bool { return !p.get().wasReady })
		if waiting < 0 {
			return nil
		}
		for _, p := range ps {
			if st := p.get(); !st.wasReady && st.failures >= startFailures {
				return fmt.Errorf("start %s: %s (log: %s)", p.name, st.message, p.log)
			}
		}
		select {
		case <-ctx.Done():
			return nil // Told to stop while starting: no failure.
		case <-deadline:
			return fmt.Errorf("start %s: not ready after %s: %s (log: %s)", ps[waiting].name, s.config.StartTimeout, ps[waiting].get().message, ps[waiting].log)
		case <-time.After(probeFast / 2):
		}
	}
}

// listens waits until etcd has a process; its port listens moments later, and the API server waits for that itself.
func (s *supervisor) listens(ctx context.Context, etcd *process) bool {
	for !etcd.get().running {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(probeFast / 5):
		}
	}
	return true
}

// process makes a process of the control plane.
func (s *supervisor) process(name string, grace time.Duration) *process {
	return &process{
		name: name, log: s.dir.Log(name), grace: grace, spawner: s.spawner, table: s.table,
		marker: string(s.dir), again: make(chan struct{}, 1),
	}
}

// moved tells those who talk to the API server that its address is another one.
func (s *supervisor) moved() {
	s.kcm.restart()
	select {
	case s.relocated <- struct{}{}:
	default:
	}
}

// inherited are the variables of the user's environment that processes get: how to reach the network.
var inherited = []string{"PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// env is the environment of the control plane's processes.
func (s *supervisor) env() []string {
	return append(pick(s.environ, "PATH"), "HOME="+string(s.dir), "TMPDIR="+string(s.dir))
}

// pick takes variables out of an environment.
func pick(environ []string, names ...string) []string {
	var out []string
	for _, e := range environ {
		if name, _, ok := strings.Cut(e, "="); ok && slices.Contains(names, name) {
			out = append(out, e)
		}
	}
	return out
}
