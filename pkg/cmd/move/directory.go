// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

func runBackup(ctx context.Context, f *cmdutil.Factory, o *options, src *kube.Client, scope plan.Scope) error {
	recipients, err := kubeconfig.Recipients(o.encryptTo)
	if err != nil {
		return err
	}
	bo := move.BackupOptions{Source: src, Scope: scope, Dir: o.toDir, Sink: f.View()}
	if len(recipients) > 0 {
		bo.Encrypt = func(data []byte) ([]byte, error) { return kubeconfig.Encrypt(data, recipients) }
	}
	if o.dryRun {
		p, err := plan.Build(ctx, src, scope, plan.Options{Sink: f.View()})
		if err != nil {
			return err
		}
		return printPlan(f, o.output, p)
	}
	r, err := move.Backup(ctx, bo)
	if err != nil {
		return err
	}
	return printReport(f, o.output, r)
}

func runRestore(ctx context.Context, f *cmdutil.Factory, o *options, dst *kube.Client) error {
	ro := move.RestoreOptions{
		Target: dst, Dir: o.fromDir, AllowOrphans: o.orphans, AllowProvisioning: o.provisioning, By: me(f), Alive: alive(), Sink: f.View(),
		Confirm: func(ctx context.Context, p *plan.Plan) error {
			if o.dryRun {
				return fault.Refusedf("only looked")
			}
			return confirm(ctx, f, o, p)
		},
	}
	if o.identity != "" {
		identities, err := readIdentities(o.identity)
		if err != nil {
			return err
		}
		ro.Decrypt = func(data []byte) ([]byte, error) { return decrypt(data, identities) }
	}
	var seen *plan.Plan
	ask := ro.Confirm
	ro.Confirm = func(ctx context.Context, p *plan.Plan) error {
		seen = p
		return ask(ctx, p)
	}
	r, err := move.Restore(ctx, ro)
	if o.dryRun && seen != nil {
		return printPlan(f, o.output, seen)
	}
	if err != nil {
		return err
	}
	return printReport(f, o.output, r)
}

// readIdentities reads private keys: age's, one a line, or an SSH key.
func readIdentities(file string) ([]age.Identity, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	if list, err := age.ParseIdentities(bytes.NewReader(data)); err == nil {
		return list, nil
	}
	id, err := agessh.ParseIdentity(data)
	if err != nil {
		return nil, fault.Usagef("%s holds neither an age nor an SSH private key without a passphrase", file)
	}
	return []age.Identity{id}, nil
}

func decrypt(data []byte, identities []age.Identity) ([]byte, error) {
	r, err := age.Decrypt(armor.NewReader(bytes.NewReader(data)), identities...)
	if err != nil {
		return nil, fmt.Errorf("decrypt: %w", err)
	}
	return io.ReadAll(r)
}
