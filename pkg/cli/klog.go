// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"flag"
	"log/slog"
	"strconv"

	"k8s.io/klog/v2"
)

// klogLimit is the most that the Kubernetes libraries may tell: from 6 on they write requests with their headers
// and bodies, which have secrets in them. Our own log of requests, without those, takes the place of that.
const klogLimit = 5

// bridgeKlog sends what the Kubernetes libraries log through log. The library has one logger for the process,
// so this is for the real program only, before anything runs in the background.
func bridgeKlog(log *slog.Logger, verbosity int) {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("v", strconv.Itoa(min(verbosity, klogLimit)))
	klog.SetSlogLogger(slog.New(atMostLevel{log.Handler(), -klogLimit}))
}
