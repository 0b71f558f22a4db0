// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// problemOf says what is wrong with one object, judged by itself: it is paused, it failed for good, or a condition isn't as it
// should be. nil means that nothing can be told from it.
func problemOf(u *unstructured.Unstructured) *Blocker {
	b := about(u)
	if hint := capi.HowToUnpause(u); hint != "" {
		b.Condition, b.Message, b.Hint = capi.ConditionPaused, "it is paused, so its controllers leave it alone", hint
		return &b
	}
	if reason, message := capi.FailureOf(u); reason != "" || message != "" {
		b.Reason, b.Message, b.Terminal = reason, message, true
		return &b
	}
	if c := worst(capi.Conditions(u)); c != nil {
		b = b.byCondition(*c)
		return &b
	}
	if _, has := u.Object["status"]; !has {
		b.Message = "it has no status yet: no controller has looked at it"
		return &b
	}
	return nil
}

// worst picks the condition that says most about why an object isn't ready: the new shape before the old, an error before a warning
// before anything else, one with a message before one without, a single condition before a summary.
func worst(conditions []capi.Condition) *capi.Condition {
	var best *capi.Condition
	for i := range conditions {
		c := &conditions[i]
		if (c.Blocks() || c.Stale) && c.Type != capi.ConditionDeleting && (best == nil || rank(c) > rank(best)) {
			best = c
		}
	}
	return best
}

func rank(c *capi.Condition) int {
	n := 0
	switch c.Severity {
	case "Error":
		n += 64
	case "Warning":
		n += 32
	}
	if !c.Legacy {
		n += 128
	}
	if c.Message != "" {
		n += 4
	}
	if c.Status == "False" {
		n += 2
	}
	if c.Type != capi.ConditionReady && c.Type != capi.ConditionAvailable {
		n++
	}
	return n
}
