// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

// OutputVar adds -o/--output with the given formats, the first of which is the default; none means those of every listing.
// With -o json, progress and errors are JSON lines too, unless standard error is a terminal or --progress says otherwise.
func OutputVar(cmd *cobra.Command, f *Factory, p *ui.Format, formats ...ui.Format) {
	if len(formats) == 0 {
		formats = ui.Formats()
	}
	EnumVar(cmd, p, "output", "o", formats[0], formats, "format of the result")
	flag := cmd.Flags().Lookup("output")
	flag.Value = &outputValue{Value: flag.Value, global: &f.Global.Output}
}

// outputValue tells the format to everybody, not only to the command.
type outputValue struct {
	pflag.Value
	global *ui.Format
}

// Set takes one of the formats.
func (o *outputValue) Set(s string) error {
	if err := o.Value.Set(s); err != nil {
		return err
	}
	*o.global = ui.Format(s)
	return nil
}
