// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"slices"
	"strings"
)

// nearest returns at most three candidates that look like a slip of the pen of name, closest first.
func nearest(name string, candidates []string) []string {
	type scored struct {
		name string
		dist int
	}
	var found []scored
	limit := max(2, len(name)/3)
	for _, c := range candidates {
		dist := distance(name, c)
		if len(name) > 2 && strings.Contains(c, name) {
			dist = min(dist, 1)
		}
		if dist <= limit && dist < len(c) {
			found = append(found, scored{c, dist})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		if a.dist != b.dist {
			return a.dist - b.dist
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, f := range found[:min(3, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// distance is the number of single-letter edits that make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}

// list joins names the way a sentence does: "a, b or c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
