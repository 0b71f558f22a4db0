// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/provider"
)

// enum is a flag that takes one of a few words.
type enum[T ~string] struct {
	value   *T
	allowed []T
}

// EnumVar adds a flag that takes one of the allowed values. The values are in the help, in the error for
// any other value, and in the shell's completion. An empty name for the shorthand means none.
func EnumVar[T ~string](cmd *cobra.Command, p *T, name, shorthand string, value T, allowed []T, usage string) {
	enumVar(cmd, p, name, shorthand, value, allowed, usage, false)
}

// PersistentEnumVar is EnumVar for a flag that subcommands have too.
func PersistentEnumVar[T ~string](cmd *cobra.Command, p *T, name, shorthand string, value T, allowed []T, usage string) {
	enumVar(cmd, p, name, shorthand, value, allowed, usage, true)
}

func enumVar[T ~string](cmd *cobra.Command, p *T, name, shorthand string, value T, allowed []T, usage string, persistent bool) {
	*p = value
	flags := cmd.Flags()
	if persistent {
		flags = cmd.PersistentFlags()
	}
	words := make([]string, len(allowed))
	for i, a := range allowed {
		words[i] = string(a)
	}
	usage = fmt.Sprintf("%s: %s", usage, orList(words))
	flags.VarP(&enum[T]{value: p, allowed: allowed}, name, shorthand, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// Set takes one of the allowed words.
func (e *enum[T]) Set(s string) error {
	if !slices.Contains(e.allowed, T(s)) {
		words := make([]string, len(e.allowed))
		for i, a := range e.allowed {
			words[i] = string(a)
		}
		return fmt.Errorf("must be %s", orList(words))
	}
	*e.value = T(s)
	return nil
}

func (e *enum[T]) String() string {
	if e.value == nil {
		return ""
	}
	return string(*e.value)
}

// Type is the word that stands for the value in the help.
func (e *enum[T]) Type() string { return "string" }

// WebhookCertsVar adds the flag that says where the certificates of providers' webhooks come from.
func WebhookCertsVar(cmd *cobra.Command, p *provider.WebhookCerts) {
	EnumVar(cmd, p, "webhook-certs", "", "", []provider.WebhookCerts{provider.AutoCerts, provider.CertManagerCerts, provider.BuiltinCerts},
		"where webhook certificates come from (default auto: cert-manager if it is installed and answers, else our own)")
}

// orList is "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
