// SPDX-License-Identifier: Apache-2.0

// Package docs is the hidden command that writes the command reference.
package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
)

type options struct{ dir string }

// NewCommand makes "docs".
func NewCommand(_ *cmdutil.Factory) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:    "docs",
		Short:  "Write the command reference as Markdown files",
		Hidden: true,
		Args:   cmdutil.NoArgs,
		RunE:   func(cmd *cobra.Command, _ []string) error { return Generate(cmd.Root(), o.dir) },
	}
	cmd.Flags().StringVar(&o.dir, "dir", filepath.Join("docs", "reference"), "directory to write to; files of commands that are gone are removed")
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

// Generate writes one file for each command that is not hidden. The same commands give the same bytes.
func Generate(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write command reference: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return fmt.Errorf("write command reference: %w", err)
	}
	for _, path := range old {
		if strings.HasPrefix(filepath.Base(path), root.Name()) {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("write command reference: %w", err)
			}
		}
	}
	root.DisableAutoGenTag = true
	if err := doc.GenMarkdownTree(root, dir); err != nil {
		return fmt.Errorf("write command reference: %w", err)
	}
	return nil
}
