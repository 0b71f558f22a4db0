// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

// OutputFlag is the name of the flag that OutputVar adds; pkg/cli looks at it to decide how progress is shown.
const OutputFlag = "output"

// OutputVar adds -o/--output with the given formats, the first of which is the default; none means those of every listing.
// With -o json, progress and errors are JSON lines too, unless standard error is a terminal or --progress says otherwise.
func OutputVar(cmd *cobra.Command, p *ui.Format, formats ...ui.Format) {
	if len(formats) == 0 {
		formats = ui.Formats()
	}
	EnumVar(cmd, p, OutputFlag, "o", formats[0], formats, "format of the result")
}
