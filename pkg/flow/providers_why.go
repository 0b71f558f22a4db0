// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Reasons tells why the controllers of providers don't start. A wait for them asks the API server, which on a local bootstrap cluster has
// no Pods to tell it; the bootstrap cluster itself knows.
type Reasons struct {
	boot bootstrap.Cluster
	on   bootstrap.Type
	sink event.Sink
}

// ReasonsAt are the reasons of the cluster with that address: of a local bootstrap cluster of ours the processes', else only what the
// API server says itself.
func ReasonsAt(h Host, address string) (Reasons, error) {
	r := Reasons{on: bootstrap.Existing, sink: h.Sink}
	name, err := localAt(h, address)
	if err != nil || name == "" {
		return r, err
	}
	r.on = bootstrap.Local
	r.boot, err = openBootstrap(BootstrapRecord{Type: bootstrap.Local, Name: name}, BootstrapOptions{}, h)
	return r, err
}

func (c *Create) reasons() Reasons {
	return Reasons{boot: c.boot, on: c.record.Bootstrap.Type, sink: c.host.Sink}
}

func (d *Delete) reasons() Reasons {
	return Reasons{boot: d.boot, on: d.record.Bootstrap.Type, sink: d.host.Sink}
}

// Sink adds to progress about a Deployment what its process says.
func (r Reasons) Sink(ctx context.Context) event.Sink {
	return event.Func(func(e event.Event) {
		if e.Kind == event.Progress && strings.Contains(e.Message, "Deployment ") {
			for _, p := range r.stuck(ctx) {
				if strings.Contains(e.Message, "Deployment "+p.Name+":") {
					e.Message += ": " + r.why(ctx, p)
					break
				}
			}
		}
		if r.sink != nil {
			r.sink.Send(e)
		}
	})
}

// Explain adds to an error of class fault.Timeout or fault.Interrupted what the processes that aren't ready say, and what can be done about images that can't be had.
func (r Reasons) Explain(ctx context.Context, err error) error {
	if code := fault.CodeOf(err); code != fault.Timeout && code != fault.Interrupted {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	stuck := r.stuck(ctx)
	if len(stuck) == 0 {
		return r.hintImages(err)
	}
	text, rest, _ := strings.Cut(err.Error(), "\n") // Causes first: what follows from them is a long list.
	logs := ""
	for _, p := range stuck {
		text += fmt.Sprintf("\n  - the process of Deployment %s: %s", p.Name, r.why(ctx, p))
		switch {
		case logs == "":
			logs = p.Log
		case p.Log != "" && logs != filepath.Dir(p.Log):
			logs = filepath.Dir(logs)
		}
	}
	if rest != "" {
		text += "\n" + rest
	}
	err = r.hintImages(&worded{text, err})
	if logs == "" {
		return err
	}
	return fault.WithHint(err, "all that was said is in %s", logs)
}

func (r Reasons) hintImages(err error) error {
	if hint := imageHint(err.Error(), r.on); hint != "" {
		return fault.WithHint(err, "%s", hint)
	}
	return err
}

// imageHint is for an error that says that an image couldn't be pulled, by us for a local bootstrap cluster or by a node; else empty.
func imageHint(text string, on bootstrap.Type) string {
	pulls := func(s string) bool { return strings.Contains(text, s) }
	if !slices.ContainsFunc([]string{"pull image ", "ErrImagePull", "ImagePullBackOff"}, pulls) {
		return ""
	}
	const mirror = "for a mirror name it under \"images\" in the configuration (clusterctl config example)"
	switch on {
	case bootstrap.Local:
		return "images come from where the providers' components say: behind a proxy set HTTPS_PROXY; " + mirror
	case bootstrap.Kind:
		return "images come from where the components say, and the nodes pull them: load them from this host with --load-images; " + mirror
	}
	return "images come from where the components say, and the nodes pull them: let the nodes reach that registry; " + mirror
}

// stuck lists the providers' processes that aren't ready.
func (r Reasons) stuck(ctx context.Context) []bootstrap.Process {
	if r.boot == nil {
		return nil
	}
	st, err := r.boot.Status(ctx)
	if err != nil {
		return nil
	}
	var out []bootstrap.Process
	for _, p := range st.Processes {
		if p.Provider && !p.Ready {
			out = append(out, p)
		}
	}
	return out
}

// why says why a process isn't ready. One that keeps ending says so also while it runs once more.
func (r Reasons) why(ctx context.Context, p bootstrap.Process) string {
	why := orElse(p.Message, "not ready")
	if p.Restarts == 0 || p.PID == 0 {
		return why
	}
	namespace, deployment, _ := strings.Cut(p.Name, "/")
	if lines, err := r.boot.Logs(ctx, namespace, deployment, 1); err == nil && len(lines) > 0 {
		why += "; its log ends with: " + lines[0]
	}
	return fmt.Sprintf("started for the %d. time, %s", p.Restarts+1, why)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
