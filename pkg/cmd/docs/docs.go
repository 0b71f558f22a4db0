// SPDX-License-Identifier: Apache-2.0

// Package docs is the hidden command that writes the command reference.
package docs

import (
	"bytes"
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
	if err := generate(root, dir); err != nil {
		return fmt.Errorf("write command reference: %w", err)
	}
	return nil
}

func generate(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, root.Name()+"*.md"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	root.DisableAutoGenTag = true
	return writeTree(root, dir)
}

// writeTree is doc.GenMarkdownTree with switches as our help shows them.
func writeTree(cmd *cobra.Command, dir string) error {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Deprecated != "" || !c.Runnable() && !c.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writeTree(c, dir); err != nil {
			return err
		}
	}
	cmd.Long = fenced(cmd.Long)
	var b bytes.Buffer
	if err := doc.GenMarkdown(cmd, &b); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "_") + ".md"
	text := strings.ReplaceAll(b.String(), "[=true|false]", strings.Repeat(" ", len("[=true|false]")))
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}

// fenced puts the indented lines of a text, which line up as they are, into code blocks.
func fenced(text string) string {
	var b strings.Builder
	inside := false
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		indented := strings.HasPrefix(line, "  ")
		// a blank line between indented ones belongs to them
		if line == "" && inside && i+1 < len(lines) {
			indented = strings.HasPrefix(lines[i+1], "  ")
		}
		if indented != inside {
			b.WriteString(map[bool]string{true: "\n```text\n", false: "```\n"}[indented])
			inside = indented
		}
		b.WriteString(line + "\n")
	}
	if inside {
		b.WriteString("```\n")
	}
	return strings.ReplaceAll(b.String(), "\n\n\n", "\n\n")
}
