// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// completionTime is how long a person waits for a completion at most.
const completionTime = 3 * time.Second

// Complete makes a completion function from one that lists the possible values. It answers within three seconds
// or with nothing, never prints anything, and completes the first of the arguments only.
func Complete(list func(ctx context.Context, cmd *cobra.Command) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return withinTime(cmd, list), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteFlag is Complete for the value of a flag, whatever the arguments are.
func CompleteFlag(list func(ctx context.Context, cmd *cobra.Command) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return withinTime(cmd, list), cobra.ShellCompDirectiveNoFileComp
	}
}

// withinTime also leaves a list behind that doesn't heed its context: the process ends anyway.
func withinTime(cmd *cobra.Command, list func(context.Context, *cobra.Command) ([]string, error)) []string {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	found := make(chan []string, 1)
	go func() {
		defer func() {
			if recover() != nil {
				found <- nil
			}
		}()
		values, err := list(ctx, cmd)
		if err != nil {
			values = nil
		}
		found <- values
	}()
	select {
	case values := <-found:
		return values
	case <-ctx.Done():
		return nil
	}
}
