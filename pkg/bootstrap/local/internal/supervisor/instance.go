// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/pod"
)

// defaultGrace is the API's default for the time that a pod has to end.
const defaultGrace = 30 * time.Second

// instance is one version of a Deployment that runs.
type instance struct {
	template  string
	processes []*process
	table     *table
	cancel    context.CancelFunc
	wg        sync.WaitGroup
}

// newInstance starts a process per container.
func (k *kubelet) newInstance(ctx context.Context, w *podWorker, d *appsv1.Deployment, template string) *instance {
	ctx, cancel := context.WithCancel(ctx)
	i := &instance{template: template, table: k.table, cancel: cancel}
	spec := &d.Spec.Template.Spec
	grace := defaultGrace
	if spec.TerminationGracePeriodSeconds != nil {
		grace = time.Duration(*spec.TerminationGracePeriodSeconds) * time.Second
	}
	for n := range spec.Containers {
		c := &spec.Containers[n]
		name, log := w.key, ""
		if n > 0 {
			name, log = w.key+"/"+c.Name, c.Name
		}
		p := k.process(name, grace)
		p.provider, p.log, p.changed = true, k.dir.PodLog(d.Namespace, d.Name, log), w.poke
		p.prepare = func(ctx context.Context) (command, error) { return k.command(ctx, p, d, c) }
		i.processes = append(i.processes, p)
	}
	for _, p := range i.processes {
		i.wg.Go(func() { p.run(ctx) })
	}
	return i
}

// stop ends all processes and waits until they are gone.
func (i *instance) stop() {
	if i == nil {
		return
	}
	i.cancel()
	i.wg.Wait()
	for _, p := range i.processes {
		i.table.remove(p.name)
	}
}

// command prepares everything that a container needs and says how to start it.
func (k *kubelet) command(ctx context.Context, p *process, d *appsv1.Deployment, c *corev1.Container) (command, error) {
	if err := pod.Check(&d.Spec.Template); err != nil {
		return command{}, err
	}
	say := func(format string, args ...any) {
		if p.get().failures == 0 {
			p.set(func(s *state, _ *layout.Process) { s.message = fmt.Sprintf(format, args...) })
		}
	}
	say("pulling image %s", c.Image)
	img, err := k.containerImage(ctx, c)
	if err != nil {
		return command{}, err
	}
	say("preparing its files")
	pd, err := k.pod(ctx, d, c)
	if err != nil {
		return command{}, err
	}
	if err := pd.Volumes(ctx); err != nil {
		return command{}, err
	}
	started, err := pd.Process(ctx, c, img.Image)
	if err != nil {
		return command{}, err
	}
	cmd := command{argv: started.Argv, env: append(pick(k.environ, inherited...), started.Env...), dir: img.workDir(pd.Dir)}
	return cmd, k.containerProbes(&cmd, c, pd, started.Ports)
}
