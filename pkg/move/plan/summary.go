// SPDX-License-Identifier: Apache-2.0

package plan

import "k8s.io/apimachinery/pkg/runtime/schema"

// KindCount is how many objects of a kind a plan has.
type KindCount struct {
	schema.GroupVersionKind
	// Moved go away from the source, Copied stay there too.
	Moved, Copied int
}

// Summary counts the objects by kind, in the order of the kinds.
func (p *Plan) Summary() []KindCount {
	at := make(map[schema.GroupVersionKind]int, len(p.Kinds))
	out := make([]KindCount, len(p.Kinds))
	for i, k := range p.Kinds {
		at[k], out[i].GroupVersionKind = i, k
	}
	for _, o := range p.Objects {
		if c := &out[at[o.GVK()]]; o.Mode == Copy {
			c.Copied++
		} else {
			c.Moved++
		}
	}
	return out
}
