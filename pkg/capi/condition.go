// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Condition is one condition of an object, in whichever shape the object has it.
type Condition struct {
	// Type, Status ("True", "False" or "Unknown"), Reason and Message are as stored.
	Type, Status, Reason, Message string
	// Severity is Error, Warning or Info for conditions that aren't True; only the old shape has it.
	Severity string
	// LastTransition is when Status last changed; zero if unknown.
	LastTransition time.Time
	// Stale is true when the condition was observed at an older generation than the object has now.
	Stale bool
	// Legacy is true for a condition of the shape that v1beta1 and older have, with severities.
	Legacy bool
}

// True says whether the condition holds for the object as it is now.
func (c Condition) True() bool { return c.Status == "True" && !c.Stale }

// Blocks says whether the condition tells of something that isn't as it should be: a condition that ought to be True and
// isn't, or Deleting, Paused or Stalled being True. Conditions that only describe an activity (ScalingUp, …) block when
// their message says so.
func (c Condition) Blocks() bool {
	switch c.Type {
	case ConditionDeleting, ConditionPaused, "Stalled":
		return c.Status == "True"
	case "ScalingUp", "ScalingDown":
		return c.Status == "True" && strings.Contains(c.Message, "is blocked")
	case "RollingOut", "Remediating", "Updating", "Reconciling":
		return false
	}
	return c.Status != "True"
}

// Conditions returns the conditions of an object from all the places in which the versions of the contract keep them:
// status.conditions, status.v1beta2.conditions (the new shape inside of v1beta1 objects) and
// status.deprecated.v1beta1.conditions (the old shape inside of v1beta2 objects). The new shape comes first; of the old
// one only the types that the new one doesn't have are added.
func Conditions(u *unstructured.Unstructured) []Condition {
	plain := readConditions(u, "status", "conditions")
	staged := readConditions(u, "status", "v1beta2", "conditions")
	old := readConditions(u, "status", "deprecated", "v1beta1", "conditions")
	for i := range plain {
		plain[i].Legacy = len(staged) > 0 || plain[i].Severity != "" || legacyVersion(u)
	}
	for i := range old {
		old[i].Legacy = true
	}
	return mergeConditions(staged, plain, old)
}

func legacyVersion(u *unstructured.Unstructured) bool {
	gv := u.GroupVersionKind()
	switch gv.Version {
	case "v1alpha2", "v1alpha3", "v1alpha4", "v1beta1":
		return gv.Group == GroupCore
	}
	return false
}

func mergeConditions(lists ...[]Condition) []Condition {
	var out []Condition
	seen := map[string]bool{}
	for _, conditions := range lists {
		for _, c := range conditions {
			if !seen[c.Type] {
				seen[c.Type] = true
				out = append(out, c)
			}
		}
	}
	return out
}

func readConditions(u *unstructured.Unstructured, path ...string) []Condition {
	var out []Condition
	for _, item := range list(u, path...) {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		w := &unstructured.Unstructured{Object: m}
		observed, has := number(w, "observedGeneration")
		out = append(out, Condition{
			Type: str(w, "type"), Status: str(w, "status"), Reason: str(w, "reason"), Message: str(w, "message"),
			Severity: str(w, "severity"), LastTransition: timeOf(m["lastTransitionTime"]),
			Stale: has && observed > 0 && observed < u.GetGeneration(),
		})
	}
	return out
}

// FindCondition returns the condition of a type, nil if there is none.
func FindCondition(conditions []Condition, conditionType string) *Condition {
	for i := range conditions {
		if conditions[i].Type == conditionType {
			return &conditions[i]
		}
	}
	return nil
}

// isTrue says whether the condition of a type exists, holds and is fresh.
func isTrue(conditions []Condition, conditionType string) bool {
	c := FindCondition(conditions, conditionType)
	return c != nil && c.True()
}
