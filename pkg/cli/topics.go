// SPDX-License-Identifier: Apache-2.0

package cli

import "github.com/spf13/cobra"

// addTopics adds help that belongs to no command: "clusterctl help exit-codes".
func addTopics(root *cobra.Command) {
	for _, t := range topics() {
		root.AddCommand(&cobra.Command{Use: t.name, Short: t.short, Long: t.text})
	}
}

type topic struct{ name, short, text string }

func topics() []topic {
	return []topic{}
}
