// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Event is something that a controller said about an object.
type Event struct {
	// Time is when it was said last.
	Time time.Time
	// Type is Normal or Warning.
	Type string
	// Reason is a word for machines, Message a line for people.
	Reason, Message string
	// Count is how often it was said; at least 1.
	Count int64
}

// Events returns what was said about the object with a UID, newest first. The server forgets events after an hour.
func (c *Client) Events(ctx context.Context, ns, involvedUID string) ([]Event, error) {
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Event"}
	list, err := c.List(ctx, gvk, ListOptions{Namespace: ns, FieldSelector: "involvedObject.uid=" + involvedUID})
	if err != nil {
		return nil, err
	}
	out := make([]Event, len(list))
	for i, u := range list {
		out[i] = readEvent(u)
	}
	slices.SortStableFunc(out, func(a, b Event) int { return b.Time.Compare(a.Time) })
	return out, nil
}

// readEvent knows both generations of events: lastTimestamp and count, eventTime and series.
func readEvent(u *unstructured.Unstructured) Event {
	e := Event{Type: str(u.Object["type"]), Reason: str(u.Object["reason"]), Message: str(u.Object["message"]), Count: 1}
	times := []string{str(u.Object["lastTimestamp"]), str(u.Object["eventTime"])}
	if n, ok, _ := unstructured.NestedInt64(u.Object, "count"); ok && n > 0 {
		e.Count = n
	}
	if n, ok, _ := unstructured.NestedInt64(u.Object, "series", "count"); ok && n > 0 {
		e.Count = n
		seen, _, _ := unstructured.NestedString(u.Object, "series", "lastObservedTime")
		times = append(times, seen)
	}
	for _, text := range times {
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && t.After(e.Time) {
			e.Time = t
		}
	}
	if e.Time.IsZero() {
		e.Time = u.GetCreationTimestamp().Time
	}
	return e
}
