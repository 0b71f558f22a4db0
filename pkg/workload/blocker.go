// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// Blocker is one thing that a cluster waits for, with what is known about why.
type Blocker struct {
	// Kind, Namespace and Name say which object waits; Namespace may be empty.
	Kind, Namespace, Name string
	// Condition is the condition that isn't as it should be, with its Reason and Message. Without
	// a condition Message alone says what is wrong.
	Condition, Reason, Message string
	// Since is when that began; zero if unknown.
	Since time.Time
	// LastEvent is the newest event of the object, a warning if there is one; empty if none.
	LastEvent string
	// Controller is the Deployment that looks after the object's kind, with a remark if it isn't well; empty if unknown.
	Controller string
	// LogLine is the newest line of the controller's log that is about the object, or an error; empty if none.
	LogLine string
	// Hint says what can be done about it; empty if nothing is known.
	Hint string
	// Terminal says that the controllers gave up: waiting on is no use.
	Terminal bool
}

// limits of what is shown: conditions can hold the output of whole commands.
const (
	shortText = 240
	longText  = 1000
)

// String is one line for progress: what waits and for what.
func (b Blocker) String() string {
	return shorten(b.subject()+": "+b.why(), shortText)
}

func (b Blocker) subject() string { return strings.TrimSpace(b.Kind + " " + b.Name) }

// why joins condition, reason and message without saying anything twice.
func (b Blocker) why() string {
	var parts []string
	if b.Condition != "" {
		parts = append(parts, b.Condition)
	}
	if b.Reason != "" && b.Reason != b.Condition && !strings.HasPrefix(b.Message, b.Reason) {
		parts = append(parts, b.Reason)
	}
	head := strings.Join(parts, " ")
	message := oneLine(b.Message)
	switch {
	case head == "":
		return message
	case message == "":
		return head
	}
	return head + ": " + message
}

// Lines are a few lines for an error at a deadline; now is what ages are counted from.
func (b Blocker) Lines(now time.Time) []string {
	first := b.subject() + ": " + b.why()
	if !b.Since.IsZero() && now.After(b.Since) {
		first += fmt.Sprintf(" (for %s)", now.Sub(b.Since).Round(time.Second))
	}
	lines := []string{shorten(first, longText)}
	add := func(title, text string) {
		if text != "" {
			lines = append(lines, "  "+title+": "+shorten(oneLine(text), longText))
		}
	}
	add("event", b.LastEvent)
	add("controller", b.Controller)
	add("log", b.LogLine)
	add("to do", b.Hint)
	return lines
}

// about starts a Blocker for an object.
func about(u *unstructured.Unstructured) Blocker {
	return Blocker{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
}

// byCondition fills a Blocker from a condition.
func (b Blocker) byCondition(c capi.Condition) Blocker {
	b.Condition, b.Reason, b.Message, b.Since = c.Type, c.Reason, c.Message, c.LastTransition
	if c.Stale {
		b.Message = strings.TrimSpace("not looked at since its last change. " + c.Message)
	}
	return b
}

// oneLine makes one line of a message; the items of lists in summary conditions are joined.
func oneLine(s string) string {
	out := ""
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "* ")
		switch {
		case line == "":
		case out == "":
			out = line
		case strings.HasSuffix(out, ":"):
			out += " " + line
		default:
			out += "; " + line
		}
	}
	return out
}

func shorten(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return string(r[:limit-1]) + "…"
}
