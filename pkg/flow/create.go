// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// CreateOptions say what to create.
type CreateOptions struct {
	// Name and Namespace are those of the Cluster. An empty namespace is that of the management cluster's
	// kubeconfig context, "default" where that has none.
	Name      string
	Namespace string
	// Inputs describe the cluster; what they don't say is taken from the run record, if there is one.
	Inputs Inputs
	// Bootstrap says which cluster to bootstrap from; the zero value means the record's, or a choice.
	Bootstrap BootstrapOptions
	// Decrypt decrypts the Secrets of a backup; nil where there is no key.
	Decrypt func([]byte) ([]byte, error)
	// Set are values of variables that win over environment and configuration.
	Set map[string]string
}

// Create makes a cluster, step by step.
type Create struct {
	opts    CreateOptions
	host    Host
	records *Records
	record  *Record
	resumed bool // an earlier run left the record
	// replaced is the record of an earlier run whose management cluster isn't there any more, until it is put aside.
	replaced *Record
	boot     bootstrap.Cluster
	started  time.Time

	// before are the inputs of earlier runs, nil in the first run.
	before *Inputs
	// beforeVariables are the variables of then.
	beforeVariables []string

	planned *plan
	asked   manifest.Asked
	found   *[]provider.InstalledProvider
	mgmt    *kube.Client
	guest   *kube.Client
	self    *kube.Client
	// toManagement counts the requests to the cluster that manages it until a pivot, toWorkload those to its own API server.
	toManagement, toWorkload *kube.Counter

	summary Summary
	// cantHold says why the cluster can't manage itself, once that was looked at.
	cantHold string
}

// NewCreate prepares a creation: it reads the run record, merges the inputs and
// chooses the bootstrap cluster, but changes nothing.
func NewCreate(opts CreateOptions, host Host) (*Create, error) {
	if err := validateName(opts.Namespace, opts.Name); err != nil {
		return nil, err
	}
	c := &Create{opts: opts, host: host, records: OpenRecords(host.Dirs.State), started: time.Now(), toManagement: kube.NewCounter(), toWorkload: kube.NewCounter()}
	if err := c.resolveNamespace(); err != nil {
		return nil, err
	}
	if err := c.resolveRecord(); err != nil {
		return nil, err
	}
	if err := c.resolveKind(); err != nil {
		return nil, err
	}
	var err error
	c.boot, err = openBootstrap(c.record.Bootstrap, c.opts.Bootstrap, host)
	return c, err
}

// resolveKind lays the options for kind that were given now over those of the record.
func (c *Create) resolveKind() error {
	if c.record.Bootstrap.Type != bootstrap.Kind {
		return nil
	}
	k := c.opts.Bootstrap.Kind
	name, _, _ := strings.Cut(c.record.Inputs.Infrastructure, ":")
	k.MountEngineSocket = k.MountEngineSocket || name == "docker"
	k, err := k.over(c.record.Kind)
	c.record.Kind, c.opts.Bootstrap.Kind = k, k
	return err
}

// resolveNamespace fills in the namespace: it is part of the record's name, so it must be known before anything else.
func (c *Create) resolveNamespace() error {
	if c.opts.Namespace != "" {
		return nil
	}
	c.opts.Namespace = "default"
	if !c.opts.Bootstrap.existing() {
		return nil
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: c.opts.Bootstrap.Kubeconfig, Context: c.opts.Bootstrap.Context, Getenv: c.host.Getenv})
	if err != nil {
		return err
	}
	if cfg.Namespace != "" {
		c.opts.Namespace = cfg.Namespace
	}
	return nil
}

// resolveRecord merges what was given now with what an earlier run of the same name left.
func (c *Create) resolveRecord() error {
	old, err := c.records.Load(c.opts.Namespace, c.opts.Name)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return err
	}
	in, err := c.opts.Inputs.absolute()
	if err != nil {
		return err
	}
	if old == nil {
		return c.newRecord(in)
	}
	if old.ClusterGone {
		return fault.WithHint(fault.Refusedf("cluster %s/%s was deleted, but what was made for it is still there", old.Namespace, old.Name),
			"finish the deletion first: clusterctl delete cluster %s -n %s", old.Name, old.Namespace)
	}
	if old.Pivot == Returning || old.Pivot == Recovering {
		return fault.WithHint(fault.Refusedf("cluster %s/%s is being deleted", old.Namespace, old.Name),
			"finish the deletion first: clusterctl delete cluster %s -n %s", old.Name, old.Namespace)
	}
	c.record, c.resumed = old, true
	before := old.Inputs
	c.before, c.beforeVariables = &before, old.Variables
	if err := c.sameBootstrap(old); err != nil {
		return err
	}
	if err := c.merge(in); err != nil {
		return err
	}
	return c.record.Inputs.Validate()
}

func (c *Create) newRecord(in Inputs) error {
	if !in.Empty() {
		if err := in.Validate(); err != nil {
			return err
		}
	}
	c.opts.Bootstrap.simulated = in.simulated()
	rec, why, err := ChooseBootstrap(c.opts.Bootstrap, c.opts.Name, c.host)
	if err != nil {
		return err
	}
	if rec, err = pinned(rec, c.host); err != nil {
		return err
	}
	if why != "" {
		event.Notef(c.host.Sink, "using %s: %s", describeBootstrap(rec), why)
	}
	c.record = &Record{
		Name: c.opts.Name, Namespace: c.opts.Namespace, Bootstrap: rec, Inputs: in, Variables: slices.Sorted(maps.Keys(c.opts.Set)),
	}
	return nil
}

// sameBootstrap refuses to go on with another bootstrap cluster than the one that holds the cluster's objects.
func (c *Create) sameBootstrap(old *Record) error {
	if old.Pivot == Pivoted || old.Pivot == SelfManaged {
		return nil // There is none any more to go on with.
	}
	o := c.opts.Bootstrap
	if o.auto() && o.Name == "" && o.Kubeconfig == "" && o.Context == "" && (!o.Kind.given() || old.Bootstrap.Type == bootstrap.Kind) {
		return nil
	}
	if o.auto() && !o.existing() {
		o.Type = old.Bootstrap.Type
	}
	rec, _, err := ChooseBootstrap(o, c.opts.Name, c.host)
	if err != nil {
		return err
	}
	same, err := rec.names(old.Bootstrap, c.host)
	if err != nil {
		return err
	}
	if !same && old.Bootstrap.UID != "" && rec.Type == bootstrap.Existing { // Whether it is the same cluster is seen when it answers.
		if rec, err = pinned(rec, c.host); err != nil {
			return err
		}
		old.Bootstrap.Kubeconfig, old.Bootstrap.Context = rec.Kubeconfig, rec.Context
		return nil
	}
	if !same {
		return fault.WithHint(fault.Refusedf("an earlier run began cluster %s/%s on the %s, not on the %s",
			old.Namespace, old.Name, describeBootstrap(old.Bootstrap), describeBootstrap(rec)),
			"go on without the bootstrap flags, or delete it first: clusterctl delete cluster %s -n %s", old.Name, old.Namespace)
	}
	return nil
}

// Run does all steps under the run's lock and returns what came out.
func (c *Create) Run(ctx context.Context) (*Summary, error) {
	return c.locked(ctx, c.steps())
}

// RunStep does a single step under the run's lock. It returns an error of class Refused where a step before it wasn't done.
func (c *Create) RunStep(ctx context.Context, name string) (*Summary, error) {
	all := c.steps()
	i := slices.IndexFunc(all, func(s Step) bool { return s.Name == name })
	if i < 0 {
		return nil, fault.Usagef("there is no step %q", name)
	}
	return c.locked(ctx, []Step{c.inOrder(all[i])})
}

func (c *Create) locked(ctx context.Context, steps []Step) (*Summary, error) {
	unlock, err := c.records.Lock(c.record.Namespace, c.record.Name, c.host.Command)
	if err != nil {
		return nil, err
	}
	defer unlock()
	err = runSteps(ctx, steps, c.host.Sink)
	c.finishSummary()
	if err != nil {
		return &c.summary, c.explain(err, steps[0].Name)
	}
	return &c.summary, nil
}

// explain adds to an error what is left and how to go on. first is the step that the command began with.
func (c *Create) explain(err error, first string) error {
	if _, loadErr := c.records.Load(c.record.Namespace, c.record.Name); loadErr != nil {
		return err // stopped before anything was made
	}
	var at *stepError
	code := fault.CodeOf(err)
	switch code {
	case fault.Usage, fault.Refused:
		if errors.As(err, &at) && at.step == first {
			return err // nothing was done, and the same command would be refused again
		}
		code = fault.Partial
	case fault.Failed:
		code = fault.Partial
	}
	more := ""
	if code == fault.Timeout {
		more = ", with more --timeout if it needs that"
	}
	err = fault.WithCode(code, err)
	if c.record.Pivot != NotPivoted {
		return c.explainPivot(err, more)
	}
	err = fault.WithHint(err, "or clean up: clusterctl delete cluster %s -n %s", c.record.Name, c.record.Namespace)
	return fault.WithHint(err, "everything made so far is kept on the %s; go on%s: clusterctl create cluster %s -n %s",
		describeBootstrap(c.record.Bootstrap), more, c.record.Name, c.record.Namespace)
}

// explainPivot says of a run that ended during the pivot what is where.
func (c *Create) explainPivot(err error, more string) error {
	where := fmt.Sprintf("nothing is lost: the %s stays until the cluster manages itself", describeBootstrap(c.record.Bootstrap))
	switch c.record.Pivot {
	case Pivoted:
		where = fmt.Sprintf("nothing is lost: the cluster manages itself, and the %s isn't needed any more", describeBootstrap(c.record.Bootstrap))
	case SelfManaged:
		where = "the cluster manages itself"
	}
	return fault.WithHint(err, "%s; go on%s: clusterctl create cluster %s -n %s", where, more, c.record.Name, c.record.Namespace)
}

// management connects to the management cluster, once.
func (c *Create) management(ctx context.Context) (*kube.Client, error) {
	if c.mgmt != nil {
		return c.mgmt, nil
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{
		Path: c.boot.Kubeconfig(), Context: c.record.Bootstrap.Context, Getenv: c.host.Getenv,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to the %s: %w", describeBootstrap(c.record.Bootstrap), err)
	}
	counter := c.toManagement
	if c.record.Pivot == SelfManaged {
		counter = c.toWorkload
	}
	client, err := kube.New(cfg.REST, kube.Options{UserAgent: c.host.UserAgent, Sink: c.host.Sink, Counter: counter})
	if err != nil {
		return nil, err
	}
	if err := c.record.Bootstrap.verify(ctx, client, c.record.rightOne()); err != nil {
		client.Close()
		if errors.Is(err, errReplaced) {
			err = fault.WithHint(err, "if it was made anew, give the whole command again, with where the cluster comes from: that begins anew there")
		}
		return nil, err
	}
	c.mgmt = client
	return c.mgmt, nil
}
