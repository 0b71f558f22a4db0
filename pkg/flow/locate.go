// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Target says which Cluster a command is about, and where it is managed.
type Target struct {
	// Name and Namespace are those of the Cluster. An empty namespace is the record's, else that of the kubeconfig context.
	Name      string
	Namespace string
	// Kubeconfig and Context name the management cluster; both empty means: the run record's, else kubectl's rules.
	Kubeconfig string
	Context    string
}

// Locate finds the management cluster of a Cluster: the kubeconfig that was given, else the bootstrap cluster
// that an earlier run recorded for the name, else what kubectl would take. The record is nil if none fits.
func Locate(t Target, h Host) (Target, *Record, error) {
	if err := t.validate(); err != nil {
		return t, nil, err
	}
	records := OpenRecords(h.Dirs.State)
	if t.Kubeconfig == "" && t.Context == "" {
		rec, err := findRecord(records, t)
		if err != nil {
			return t, nil, err
		}
		if rec != nil {
			t.Namespace = rec.Namespace
			return t, rec, nil
		}
	}
	// The file may be gone already, with a deletion that is to be finished; the record knows it by its path.
	if rec := recordOf(records, t, h); rec != nil {
		t.Namespace = rec.Namespace
		return t, rec, nil
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: t.Kubeconfig, Context: t.Context, Getenv: h.Getenv})
	if err != nil {
		known, findErr := records.Find(t.Name)
		if findErr != nil || len(known) > 0 {
			return t, nil, cmp.Or(findErr, err)
		}
		return t, nil, unknown(err, t)
	}
	if t.Namespace == "" {
		t.Namespace = cfg.Namespace
	}
	if t.Namespace == "" {
		t.Namespace = "default"
	}
	return t, recordFor(records, t, h), nil
}

// findRecord looks for the one record that a name, and a namespace if there is one, can mean.
func findRecord(records *Records, t Target) (*Record, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	if t.Namespace != "" {
		rec, err := records.Load(t.Namespace, t.Name)
		if errors.Is(err, ErrNoRecord) {
			return nil, nil
		}
		return rec, err
	}
	found, err := records.Find(t.Name)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, nil
	case len(found) == 1:
		return found[0], nil
	}
	var where []string
	for _, rec := range found {
		where = append(where, rec.Namespace)
	}
	return nil, fault.WithHint(fault.Usagef("there are %d clusters called %s: in the namespaces %s", len(found), t.Name, strings.Join(where, ", ")),
		"say which one: --namespace %s", where[0])
}

// recordOf finds the one record of a name whose management cluster is, or was, the one that a kubeconfig file names.
func recordOf(records *Records, t Target, h Host) *Record {
	if t.Kubeconfig == "" {
		return nil
	}
	found, err := records.Find(t.Name)
	if err != nil {
		return nil // a damaged one says so where it is needed
	}
	var of *Record
	for _, rec := range found {
		if !rec.at(t, h) || t.Namespace != "" && rec.Namespace != t.Namespace {
			continue
		}
		if of != nil {
			return nil
		}
		of = rec
	}
	return of
}

// recordFor finds the record of a Cluster whose management cluster was named by hand: the same file and context.
func recordFor(records *Records, t Target, h Host) *Record {
	rec, err := records.Load(t.Namespace, t.Name)
	if err != nil || !rec.at(t, h) {
		return nil
	}
	return rec
}

// at says whether a kubeconfig and context name the management cluster of a record. A cluster that managed itself is still called so
// while it is deleted from the bootstrap cluster that it was moved out to.
func (rec *Record) at(t Target, h Host) bool {
	path, err := absolute(t.Kubeconfig)
	same := func(b BootstrapRecord) bool {
		if b.Type != bootstrap.Existing || b.Kubeconfig != t.Kubeconfig && (err != nil || b.Kubeconfig != path) {
			return false
		}
		return b.Context == t.Context || sameContext(b, t, h)
	}
	return same(rec.Bootstrap) || rec.Self != nil && same(*rec.Self)
}

// sameContext says whether a target and a record mean one context of their common kubeconfig: the current one may go without its name.
// Where the file is gone, with the deletion of its cluster, nothing but the record can tell which one that was.
func sameContext(b BootstrapRecord, t Target, h Host) bool {
	given, err := kube.LoadConfig(kube.ConfigSource{Path: b.Kubeconfig, Context: t.Context, Getenv: h.Getenv})
	if err != nil {
		return t.Context == "" && b.Kubeconfig != "" && !isFile(b.Kubeconfig)
	}
	recorded, err := kube.LoadConfig(kube.ConfigSource{Path: b.Kubeconfig, Context: b.Context, Getenv: h.Getenv})
	return err == nil && given.Context == recorded.Context
}

// describe names the management cluster for people.
func (t Target) describe(rec *Record) string {
	if rec != nil {
		return describeBootstrap(rec.Bootstrap)
	}
	switch {
	case t.Context != "":
		return fmt.Sprintf("management cluster (context %q)", t.Context)
	case t.Kubeconfig != "":
		return fmt.Sprintf("management cluster (%s)", t.Kubeconfig)
	}
	return "management cluster (current context)"
}
