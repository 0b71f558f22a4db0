// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// addTopics adds help that belongs to no command: "clusterctl help exit-codes".
func addTopics(root *cobra.Command) {
	root.AddCommand(
		&cobra.Command{Use: "environment", Short: "Environment variables and what wins over what", Long: environmentTopic(root.PersistentFlags())},
		&cobra.Command{Use: "exit-codes", Short: "What the exit code of a command means", Long: exitCodesTopic()},
		&cobra.Command{Use: "output", Short: "What goes where, formats, progress, logs, colours", Long: outputTopic()},
	)
}

func environmentTopic(global *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString("Environment variables\n\nFlags of every command, for those who don't want to repeat them:\n\n")
	row := func(name, text string) { fmt.Fprintf(&b, "  %-28s %s\n", name, text) }
	global.VisitAll(func(f *pflag.Flag) { row(envName(f.Name), "--"+f.Name) })
	b.WriteString("\nDirectories:\n\n")
	row("CLUSTERCTL_CONFIG_HOME", "has clusterctl.yaml; else $XDG_CONFIG_HOME/cluster-api, else ~/.config/cluster-api")
	row("CLUSTERCTL_CACHE_HOME", "what can be fetched again; else $XDG_CACHE_HOME/clusterctl, else ~/.cache/clusterctl")
	row("CLUSTERCTL_STATE_HOME", "run records, bootstrap clusters; else $XDG_STATE_HOME/clusterctl, else ~/.local/state/clusterctl")
	b.WriteString("\nOf other programs:\n\n")
	row("KUBECONFIG", "kubeconfig files, as for kubectl, where --kubeconfig isn't given")
	row("KUBEBUILDER_ASSETS", "directory with etcd, kube-apiserver and kube-controller-manager for --bootstrap local")
	row("HTTPS_PROXY, NO_PROXY", "proxy for downloads and API servers")
	row("NO_COLOR, CLICOLOR_FORCE", "colours off or on, where --color is auto")
	row("TERM=dumb", "no colours and no lines that change")
	row("LC_ALL, LC_CTYPE, LANG", "a UTF-8 locale allows signs beyond ASCII")
	b.WriteString(`
What wins over what:

  settings of clusterctl   flag, then environment variable, then clusterctl.yaml, then the default
  variables of templates   flag, then environment variable, then clusterctl.yaml, then the template's own default;
                           "clusterctl generate cluster --list-variables" shows where each value comes from
`)
	return b.String()
}

func exitCodesTopic() string {
	var b strings.Builder
	b.WriteString("Exit codes\n\n")
	for _, c := range exitCodes() {
		fmt.Fprintf(&b, "  %-4d %-12s %s\n", c.code, c.name, c.text)
	}
	b.WriteString("\nThe error on standard error says what failed and why, and a hint says what to do next.\n")
	return b.String()
}

type exitCode struct {
	code       fault.Code
	name, text string
}

func exitCodes() []exitCode {
	return []exitCode{
		{0, "ok", "done, or there was nothing to do"},
		{fault.Failed, "failed", "any error that has no code of its own"},
		{fault.Usage, "usage", "wrong flag, argument or input; nothing was done"},
		{fault.Timeout, "timeout", "not finished at the deadline; what exists is kept, the same command goes on"},
		{fault.Refused, "refused", "faults were found before anything was changed"},
		{fault.Partial, "partial", "stopped half-way; the same command goes on"},
		{fault.Interrupted, "interrupted", "Ctrl-C or SIGTERM; the same command goes on"},
	}
}

func outputTopic() string {
	return fmt.Sprintf(`Output

Standard output has the result of a command and nothing else: it can be piped and redirected at any verbosity.
Progress, logs, warnings, questions and errors go to standard error. If a command fails, there is no half result.

Formats (-o)

  table   columns for people; wide has more of them
  json    one object with apiVersion (%s) and kind; listings are kinds ending in List with items.
          Within a version fields are added, never changed or removed
  yaml    the same as YAML
  name    one name a line

Progress (--progress)

  auto    on a terminal one line for each running step, with the time and the reason it still waits;
          elsewhere as plain; with -o json as json, unless standard error is a terminal
  plain   a line whenever something changes, and after %s of silence
  json    events as JSON lines: time, kind (start, progress, done, skip, fail, note, warn), step, message, seconds
  none    warnings and errors only

Logs (-v, --log-format)

  -v 0    nothing but warnings          -v 6    their headers
  -v 1    what was decided and why      -v 8    what the Kubernetes libraries tell
  -v 4    requests to API servers

Tokens, keys and the contents of objects are not logged at any verbosity.
With --log-format json or --progress json, an error is a JSON object too: kind "error", code, message, faults, hints.

Colours (--color)

  auto uses them on a terminal, unless NO_COLOR is set or TERM is dumb; CLICOLOR_FORCE uses them anywhere.
  No meaning is in a colour alone.
`, ui.APIVersion, ui.Duration(ui.Heartbeat))
}
