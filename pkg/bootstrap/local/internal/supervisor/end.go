// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rotate"
)

// liveness counts failed probes in a row.
type liveness struct {
	probe    func(context.Context) error
	next     time.Time
	failures int
}

// lost probes if it is time to, and says whether the process is to be given up.
func (l *liveness) lost(ctx context.Context) bool {
	if l.probe == nil || time.Now().Before(l.next) {
		return false
	}
	l.next = time.Now().Add(lifePeriod)
	if err := l.probe(ctx); err == nil || ctx.Err() != nil {
		l.failures = 0
		return false
	}
	l.failures++
	return l.failures >= lifeFailures
}

// waiter waits for a process that was started; how it ended is in cmd.ProcessState then.
func waiter(cmd *exec.Cmd) <-chan struct{} {
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait()
	}()
	return exited
}

// stop ends a process that hasn't been waited for: politely, and after grace with its whole group.
func stop(pid int, grace time.Duration, exited <-chan struct{}) {
	_ = proc.SignalGroup(pid, syscall.SIGTERM)
	select {
	case <-exited:
	case <-time.After(grace):
		_ = proc.SignalGroup(pid, syscall.SIGKILL)
		<-exited
	}
}

// ended says how a process ended, and its last words.
func ended(state *os.ProcessState, log *rotate.Writer) string {
	how := "ended"
	if state != nil {
		how = fmt.Sprintf("exited with code %d", state.ExitCode())
		if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			how = fmt.Sprintf("was killed by signal %d (%s)", ws.Signal(), ws.Signal())
		}
	}
	if words := lastWords(log.Last(20)); words != "" {
		how += ": " + words
	}
	return how
}

// complaint matches log lines that say why a program ends.
var complaint = regexp.MustCompile(`^[EF]\d{4} |(?i)\b(error|fatal|panic|failed|cannot|unable)\b`)

// lastWords picks the line that tells most: the last that complains, else the last.
func lastWords(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if complaint.MatchString(lines[i]) {
			return shorten(plain(lines[i]))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return shorten(plain(lines[len(lines)-1]))
}

// plain takes message and error out of a line of JSON, which is how etcd logs.
func plain(line string) string {
	var entry struct{ Msg, Error string }
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &entry) != nil || entry.Msg == "" {
		return strings.TrimSpace(line)
	}
	if entry.Error == "" {
		return entry.Msg
	}
	return entry.Msg + ": " + entry.Error
}

func shorten(s string) string {
	const most = 400
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
