// SPDX-License-Identifier: Apache-2.0

package move

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// BackupOptions say what is written where. Source, Scope and Dir are needed.
type BackupOptions struct {
	// Source is the management cluster. It is only read.
	Source *kube.Client
	// Scope is what is written.
	Scope plan.Scope
	// Dir is the folder: one that isn't there, an empty one, or an earlier backup of the same management cluster, which is replaced.
	Dir string
	// Encrypt encrypts the files of Secrets; nil leaves them as they are, readable by their owner only.
	Encrypt func([]byte) ([]byte, error)
	// Sink hears how it goes; nil is allowed.
	Sink event.Sink

	// create makes a file; a test has it fail.
	create func(path string) (file, error)
}

// Backup writes what Cluster API manages into a folder, a file an object, with status, and changes nothing on the cluster: it goes
// on running, nothing is paused. The folder is there as a whole or not at all.
//
// Errors have class fault.Refused where the folder holds something else, or a backup that may be the only copy (see replacing), or a move
// is under way on the cluster: half of the objects may be elsewhere then.
func Backup(ctx context.Context, o BackupOptions) (*Report, error) {
	began, before := time.Now(), o.Source.Requests()
	if o.create == nil {
		o.create = createFile
	}
	dir, err := backupDir(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := nothingUnderWay(ctx, o.Source); err != nil {
		return nil, err
	}
	event.Startf(o.Sink, "plan", "Plan")
	p, man, err := readForBackup(ctx, o)
	if err != nil {
		event.Failf(o.Sink, "plan", "%v", err)
		return nil, err
	}
	event.Donef(o.Sink, "plan", "%s of %s", event.Count(len(p.Objects), "object"), event.Count(len(p.Clusters()), "cluster"))
	if err := replacing(dir, man, p, o.Sink); err != nil {
		return nil, err
	}
	event.Startf(o.Sink, "backup", "Write the objects to %s", o.Dir)
	w := &backupWriter{o: o, dir: dir, plan: p, contents: man}
	if err := w.write(ctx); err != nil {
		event.Failf(o.Sink, "backup", "%v", err)
		return nil, fmt.Errorf("write backup %s: %w", o.Dir, err)
	}
	note := ""
	if o.Encrypt == nil {
		note = "; Secrets are in it in clear text, for your eyes only (--encrypt-to encrypts them)"
	}
	event.Donef(o.Sink, "backup", "%d files%s", len(man.Files)+1, note)
	r := &Report{Objects: len(p.Objects), Kinds: p.Summary(), Left: p.Left, Directory: o.Dir, Took: time.Since(began)}
	r.Requests.Source = o.Source.Requests().Sub(before)
	return r, nil
}

// nothingUnderWay refuses to take half of what there is for all of it.
func nothingUnderWay(ctx context.Context, c *kube.Client) error {
	j, err := readJournal(ctx, c)
	if err != nil || j == nil {
		return err
	}
	hint := "finish it first with --resume" + j.orUndo("")
	if j.Snapshot != "" { // there is none before the first object is copied
		hint += fmt.Sprintf("; its snapshot is in %s on %s", j.Snapshot, cmp.Or(j.By.Host, "the host that began it"))
	}
	err = fault.Refusedf("the move %s, begun %s by %s, is in phase %s: objects are paused, or on the other side", j.ID, j.Started.Format(time.RFC3339), j.By, j.Phase)
	return fault.WithHint(err, "%s", hint)
}

// readForBackup reads everything that is written.
func readForBackup(ctx context.Context, o BackupOptions) (*plan.Plan, *contents, error) {
	man := &contents{
		Version: backupVersion, Made: time.Now().UTC().Truncate(time.Second), Scope: scopeText(o.Scope),
		Files: map[string]string{}, Namespaces: map[string]namespaceMeta{},
	}
	var err error
	man.Source.Host = o.Source.Host()
	if man.Source.UID, err = o.Source.UID(ctx); err != nil {
		return nil, nil, err
	}
	p, err := PlanBackup(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range p.Warnings {
		event.Warnf(o.Sink, "%s", w)
	}
	man.count(p)
	// What follows makes a restore nicer; a backup without it is one too.
	namespaces, err := (&mover{}).namespacesOf(ctx, o.Source)
	if err != nil {
		event.Warnf(o.Sink, "labels and annotations of namespaces aren't in the backup: %v", err)
	}
	for _, ns := range p.Namespaces {
		if u := namespaces[ns]; u != nil {
			man.Namespaces[ns] = namespaceMeta{u.GetLabels(), u.GetAnnotations()}
		}
	}
	if man.Providers, err = providersOf(ctx, o.Source); err != nil {
		event.Warnf(o.Sink, "versions of providers aren't in the backup: %v", err)
	}
	return p, man, ctx.Err()
}

// PlanBackup finds what a backup would write. A cluster that runs changes between two lists, so that an owner may be missing
// that was there a moment before: a plan that is refused is made once more.
func PlanBackup(ctx context.Context, o BackupOptions) (*plan.Plan, error) {
	opts := plan.Options{Sink: o.Sink, KeepsRunning: true}
	p, err := plan.Build(ctx, o.Source, o.Scope, opts)
	if fault.CodeOf(err) == fault.Refused {
		p, err = plan.Build(ctx, o.Source, o.Scope, opts)
	}
	if err != nil {
		return nil, err
	}
	for _, obj := range p.Objects {
		if obj.Deleting {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s is being deleted; a restore would make it anew", obj.Key))
		}
	}
	return p, nil
}
