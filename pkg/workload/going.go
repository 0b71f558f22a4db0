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

// reportTime is how long the report at a deadline may take: ctx is over by then.
const reportTime = 5 * time.Second

// going is a kube.Condition: one Cluster, known by its UID, is gone.
type going struct {
	c        *kube.Client
	key      types.NamespacedName
	uid      types.UID
	evidence *evidence
	nudger   *nudger // nil: nobody is nudged
	began    time.Time
	again    string // the command that waits on

	blockers   []Blocker
	finalizers []string
	version    string
	looked     time.Time
}

// String names the condition.
func (g *going) String() string { return fmt.Sprintf("end of Cluster %s", g.key) }

// Check looks once.
func (g *going) Check(ctx context.Context) (bool, string, error) {
	u, err := getCluster(ctx, g.c, g.key)
	switch {
	case isNotFound(err), err == nil && u.GetUID() != g.uid:
		return true, "", nil
	case err != nil:
		return false, "", err
	}
	g.look(ctx, u)
	if g.nudger != nil {
		g.nudger.look(ctx, u)
	}
	return false, g.reason(), nil
}

func (g *going) look(ctx context.Context, u *unstructured.Unstructured) {
	if u.GetResourceVersion() == g.version && time.Since(g.looked) < lookAgain {
		return
	}
	g.finalizers = u.GetFinalizers()
	blockers, err := blockersOf(ctx, g.c, u, g.evidence)
	if err != nil && len(blockers) == 0 {
		return
	}
	g.blockers, g.version, g.looked = blockers, u.GetResourceVersion(), time.Now()
}

func (g *going) reason() string {
	if len(g.blockers) == 0 {
		return "it is still there"
	}
	return g.blockers[0].String()
}

func (g *going) explain(ctx context.Context, err error) error {
	again := g.again
	if again == "" {
		again = fmt.Sprintf("clusterctl delete cluster %s -n %s", g.key.Name, g.key.Namespace)
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fault.WithHint(fault.WithCode(fault.Interrupted, fmt.Errorf("delete Cluster %s: interrupted, the deletion itself goes on: %s", g.key, g.reason())),
			"wait on with: %s", again)
	case !timeIsUp(ctx, err):
		return err
	}
	text := g.timeoutText(context.WithoutCancel(ctx), time.Now())
	return fault.WithHint(fault.Timeoutf("%s", text), "%s", g.hint(again))
}

func (g *going) hint(again string) string {
	if len(g.blockers) > 0 && g.blockers[0].Condition == capi.ConditionPaused {
		return "unpause it, then wait on with: " + again
	}
	return "finalizers are left to the controllers that set them: see that these run and can reach the infrastructure, then wait on with: " + again
}

// timeoutText lists what blocks and what is still there, read freshly: ctx must not be over.
func (g *going) timeoutText(ctx context.Context, now time.Time) string {
	ctx, cancel := context.WithTimeout(ctx, reportTime)
	defer cancel()
	if u, err := getCluster(ctx, g.c, g.key); err == nil && u.GetUID() == g.uid {
		g.looked = time.Time{}
		g.look(ctx, u)
	}
	lines := []string{fmt.Sprintf("delete Cluster %s: it is still there after %s", g.key, now.Sub(g.began).Round(time.Second))}
	lines = append(lines, textOf(g.blockers, now)...)
	if len(g.blockers) == 0 && len(g.finalizers) > 0 {
		lines = append(lines, "kept by finalizer "+strings.Join(g.finalizers, ", "))
	}
	if left, err := FindBelongings(ctx, g.c, g.key, g.uid); err == nil {
		lines = append(lines, left.lines("still there: ")...)
	}
	return strings.Join(lines, "\n  ")
}
