// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

var (
	errGone     = errors.New("the Cluster is gone")
	errDeleting = errors.New("the Cluster is being deleted")
)

// doneFunc judges a Cluster. progress is shown where nothing in particular blocks; an error can't heal.
type doneFunc func(ctx context.Context, s capi.ClusterState) (done bool, progress string, err error)

// watch is a kube.Condition on one Cluster. It reads the Cluster at every look, and what blocks it only when the Cluster
// has changed or enough time has passed.
type watch struct {
	c        *kube.Client
	key      types.NamespacedName
	what     string
	done     doneFunc
	evidence *evidence
	began    time.Time

	blockers []Blocker
	progress string
	version  string
	looked   time.Time
}

// String names what is waited for, for example "infrastructure of Cluster team-a/heron".
func (w *watch) String() string {
	return strings.TrimPrefix(w.what+" of Cluster "+w.key.String(), " of ")
}

// Check looks once. What can't heal: the Cluster is gone, is being deleted, or its controllers gave up on it.
func (w *watch) Check(ctx context.Context) (bool, string, error) {
	u, err := getCluster(ctx, w.c, w.key)
	if isNotFound(err) {
		return false, "", fault.WithHint(errGone, "somebody deleted it: create it again")
	}
	if err != nil {
		return false, "", w.note(ctx, err)
	}
	s := capi.ReadCluster(u)
	if s.Deleting {
		return false, "", fault.WithHint(fault.WithCode(fault.Refused, errDeleting),
			"wait until it is gone with: clusterctl delete cluster %s -n %s", w.key.Name, w.key.Namespace)
	}
	done, progress, err := w.done(ctx, s)
	if err != nil {
		return false, "", w.note(ctx, err)
	}
	if done && !s.Failed() {
		return true, "", nil
	}
	w.progress = progress
	w.look(ctx, u)
	return false, w.reason(), w.terminal()
}

// note keeps why a look failed for the error of the wait, unless it failed only because the time was up.
func (w *watch) note(ctx context.Context, err error) error {
	if !timeIsUp(ctx, nil) {
		w.progress = oneLine(err.Error())
	}
	return err
}

func (w *watch) look(ctx context.Context, u *unstructured.Unstructured) {
	if u.GetResourceVersion() == w.version && time.Since(w.looked) < lookAgain {
		return
	}
	blockers, err := blockersOf(ctx, w.c, u, w.evidence)
	if err != nil && len(blockers) == 0 {
		return // the explanation of the last look is better than none
	}
	w.blockers, w.version, w.looked = blockers, u.GetResourceVersion(), time.Now()
}

// lastLook reads once more what blocks, for the error of a wait whose time is up; ctx must not be over.
func (w *watch) lastLook(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, reportTime)
	defer cancel()
	if u, err := getCluster(ctx, w.c, w.key); err == nil {
		w.looked = time.Time{}
		w.look(ctx, u)
	}
}

func (w *watch) reason() string {
	var parts []string
	if w.progress != "" {
		parts = append(parts, w.progress)
	}
	if len(w.blockers) > 0 {
		parts = append(parts, w.blockers[0].String())
	}
	if len(parts) == 0 {
		return "its controllers are at work"
	}
	return strings.Join(parts, "; ")
}

func (w *watch) terminal() error {
	for _, b := range w.blockers {
		if b.Terminal {
			return fault.WithHint(
				fmt.Errorf("its controllers gave up:\n  %s", strings.Join(b.Lines(time.Now()), "\n  ")),
				"correct the cause, delete the cluster with `clusterctl delete cluster %s -n %s` and create it again", w.key.Name, w.key.Namespace)
		}
	}
	return nil
}

// explain gives the error of a wait that didn't succeed all that is known about why.
func (w *watch) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return w.goOn(fault.Interrupted, fmt.Errorf("wait for %s: interrupted; it waited for this: %s", w, w.reason()))
	case timeIsUp(ctx, err):
		w.lastLook(context.WithoutCancel(ctx))
		return w.goOn(fault.Timeout, errors.New(timeoutText(w, time.Now())))
	}
	return err
}

// timeIsUp says whether a wait ended because of its deadline. A request that begins just then can fail a moment before ctx ends.
func timeIsUp(ctx context.Context, err error) bool {
	end, has := ctx.Deadline()
	return fault.CodeOf(err) == fault.Timeout || (has && !time.Now().Before(end))
}

// goOn adds how to go on, where the flow that waits doesn't say more.
func (w *watch) goOn(code fault.Code, err error) error {
	return &fault.Error{
		Code: code, Err: err, Fallback: true,
		Hint: fmt.Sprintf("nothing was removed: the same command again goes on; `clusterctl delete cluster %s -n %s` takes it away", w.key.Name, w.key.Namespace),
	}
}

func timeoutText(w *watch, now time.Time) string {
	head := fmt.Sprintf("wait for %s: timed out after %s:", w, now.Sub(w.began).Round(time.Second))
	lines := []string{head}
	if w.progress != "" {
		lines = append(lines, w.progress)
	}
	lines = append(lines, textOf(w.blockers, now)...)
	if len(lines) == 1 {
		lines = append(lines, w.reason())
	}
	return strings.Join(lines, "\n  ")
}
