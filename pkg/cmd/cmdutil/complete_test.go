// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	type lister = func(context.Context, *cobra.Command) ([]string, error)
	cases := []struct {
		name string
		args []string
		list lister
		want int
		took time.Duration
	}{
		{"names", nil, func(context.Context, *cobra.Command) ([]string, error) { return []string{"a", "b"}, nil }, 2, 0},
		{"second argument", []string{"a"}, func(context.Context, *cobra.Command) ([]string, error) { return []string{"a"}, nil }, 0, 0},
		{"error", nil, func(context.Context, *cobra.Command) ([]string, error) { return []string{"a"}, errors.New("no server") }, 0, 0},
		{"panic", nil, func(context.Context, *cobra.Command) ([]string, error) { panic("bug") }, 0, 0},
		{"heeds its context", nil, func(ctx context.Context, _ *cobra.Command) ([]string, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 0, completionTime},
		{"heeds nothing", nil, func(context.Context, *cobra.Command) ([]string, error) {
			time.Sleep(time.Minute)
			return []string{"late"}, nil
		}, 0, completionTime},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cmd := &cobra.Command{}
				cmd.SetContext(t.Context())
				began := time.Now()
				words, directive := Complete(c.list)(cmd, c.args, "")
				if took := time.Since(began); len(words) != c.want || took != c.took || directive != cobra.ShellCompDirectiveNoFileComp {
					t.Errorf("got %v, %v after %v", words, directive, took)
				}
				time.Sleep(time.Hour) // what heeds nothing comes to its end
			})
		})
	}
}
