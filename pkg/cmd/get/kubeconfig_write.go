// SPDX-License-Identifier: Apache-2.0

package get

import (
	"context"
	"fmt"

	"filippo.io/age"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
)

// writeFunc puts a kubeconfig where it belongs.
type writeFunc func(ctx context.Context, k *kubeconfig.Kubeconfig) error

// writer decides where the kubeconfig goes, and proves what can be proved before it is fetched.
func (o *kubeconfigOptions) writer(f *cmdutil.Factory) (writeFunc, error) {
	if o.merge {
		return o.mergeWriter(f)
	}
	recipients, err := kubeconfig.Recipients(o.encryptTo)
	if err != nil {
		return nil, err
	}
	if o.output == stdout {
		return func(_ context.Context, k *kubeconfig.Kubeconfig) error {
			text, err := sealed(k, recipients)
			if err != nil {
				return err
			}
			if _, err := f.Streams.Out.Write(text); err != nil {
				return fmt.Errorf("write kubeconfig to standard output: %w", err)
			}
			return nil
		}, nil
	}
	return func(_ context.Context, k *kubeconfig.Kubeconfig) error {
		text, err := sealed(k, recipients)
		if err != nil {
			return err
		}
		if err := kubeconfig.WriteFile(o.output, text); err != nil {
			return err
		}
		event.Notef(f.View(), "Kubeconfig written to %s", o.output)
		return nil
	}, kubeconfig.CheckFile(o.output)
}

func sealed(k *kubeconfig.Kubeconfig, recipients []age.Recipient) ([]byte, error) {
	if len(recipients) == 0 {
		return k.Bytes(), nil
	}
	return kubeconfig.Encrypt(k.Bytes(), recipients)
}

func (o *kubeconfigOptions) mergeWriter(f *cmdutil.Factory) (writeFunc, error) {
	opts := kubeconfig.MergeOptions{Path: o.output, Force: o.force, SetCurrent: o.setCurrent, Sink: f.View(), Now: o.now}
	if o.output == stdout {
		home := f.Getenv("HOME")
		if dirs, err := f.Dirs(); err == nil {
			home = dirs.Home
		}
		var err error
		if opts.Path, opts.Others, err = kubeconfig.UserFile(f.Getenv, home); err != nil {
			return nil, err
		}
		opts.MakeDir = true
	} else if err := kubeconfig.CheckFile(o.output); err != nil {
		return nil, err
	}
	return func(ctx context.Context, k *kubeconfig.Kubeconfig) error {
		result, err := kubeconfig.Merge(ctx, k, opts)
		if err != nil {
			return err
		}
		tellMerge(f, result)
		return nil
	}, nil
}

func tellMerge(f *cmdutil.Factory, r kubeconfig.MergeResult) {
	switch {
	case !r.Changed:
		event.Notef(f.View(), "Context %q is in %s already, nothing changed", r.Context, r.Path)
	case r.Backup == "":
		event.Notef(f.View(), "Context %q is in %s now", r.Context, r.Path)
	default:
		event.Notef(f.View(), "Context %q is in %s now, the file as it was is %s", r.Context, r.Path, r.Backup)
	}
	if r.Current != r.Context {
		event.Notef(f.View(), "It is not the current context: kubectl --context %q, or --set-current here", r.Context)
	}
}
