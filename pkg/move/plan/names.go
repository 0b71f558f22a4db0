// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strings"
)

// named finds kinds by what a person calls them: kind, plural or short name, with or without ".group".
func (ks Kinds) named(name string) []Kind {
	name, group, grouped := strings.Cut(name, ".")
	var out []Kind
	for _, k := range ks {
		if grouped && k.Group != group || !k.movable() {
			continue
		}
		if strings.EqualFold(name, k.Kind) || strings.EqualFold(name, k.Plural) || slices.Contains(k.Short, strings.ToLower(name)) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b Kind) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// nearest is the kind whose name is most like one that isn't known; "" where none is like it.
func (ks Kinds) nearest(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	const farthest = 3
	best, at := "", farthest+1
	for _, k := range ks {
		if !k.movable() {
			continue
		}
		for _, n := range append([]string{k.Kind, k.Plural}, k.Short...) {
			d := distance(name, strings.ToLower(n))
			if d < at && d < max(len(n)/2, 1) || d == at && k.Kind < best {
				best, at = k.Kind, d
			}
		}
	}
	return best
}

// distance is how many letters have to be put in, taken out or changed to make one word of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// flagText names an object the way flags do, with its group only where the kind alone could mean another one.
func (ks Kinds) flagText(k Key) string {
	out := k.Kind
	if k.Group != "" && len(ks.named(k.Kind)) > 1 {
		out += "." + k.Group
	}
	if k.Namespace != "" {
		out += "/" + k.Namespace
	}
	return out + "/" + k.Name
}
