// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"
)

// cutCircles walks from every object to its owners, and where it meets one from which it came, lets that owner come later. Only
// references that really are part of a circle are cut, and always the same ones.
func (l *leveler) cutCircles() (warnings []string) {
	const fresh, onTheWay, done = 0, 1, 2
	state := make([]int8, len(l.list))
	next := make([]int, len(l.list)) // which owner is looked at
	for start := range l.list {
		if state[start] != fresh {
			continue
		}
		way := []int{start}
		state[start] = onTheWay
		for len(way) > 0 {
			i := way[len(way)-1]
			r := &l.ranks[i]
			if next[i] == len(r.owners) {
				state[i] = done
				way = way[:len(way)-1]
				continue
			}
			*l.steps++
			o := r.owners[next[i]]
			switch state[o] {
			case onTheWay:
				l.cut(i, o)
				warnings = append(warnings, l.circle(way, o))
				continue // the owner is gone, the next one has its place
			case fresh:
				state[o] = onTheWay
				way = append(way, o)
			}
			next[i]++
		}
	}
	for i, n := range l.list { // one that owns itself is a circle too
		for at, o := range n.owners {
			if o == n {
				l.ranks[i].late = append(l.ranks[i].late, at)
				warnings = append(warnings, fmt.Sprintf("%s owns itself: it gets that owner after it is made", n.key))
			}
		}
	}
	for i := range l.ranks {
		slices.Sort(l.ranks[i].late)
	}
	return warnings
}

// cut lets an owner come after what it owns.
func (l *leveler) cut(i, owner int) {
	r := &l.ranks[i]
	r.owners = slices.DeleteFunc(r.owners, func(o int) bool { return o == owner })
	for at, o := range l.list[i].owners {
		if o == l.list[owner] {
			r.late = append(r.late, at)
		}
	}
}

func (l *leveler) circle(way []int, owner int) string {
	const most = 5
	way = way[slices.Index(way, owner):]
	n := l.list[way[len(way)-1]].key
	var names []string
	for _, i := range way[:min(len(way), most)] {
		names = append(names, l.list[i].key.String())
	}
	more := ""
	if len(way) > most {
		more = fmt.Sprintf(", … (%d in all)", len(way))
	}
	return fmt.Sprintf("owners go in a circle (%s%s): %s is made first, and gets its owner %s afterwards", strings.Join(names, " ← ")+" ← "+names[0], more, n, l.list[owner].key)
}

// dropContrary drops wishes to come later that go in a circle together with owners or each other: owners count more. It finds the
// groups of objects that all reach each other (Tarjan's algorithm); a wish inside of one is part of a circle.
func (l *leveler) dropContrary() {
	group := l.groups()
	for i := range l.ranks {
		r := &l.ranks[i]
		r.wants = slices.DeleteFunc(r.wants, func(w int) bool { return group[w] == group[i] })
	}
}

func (l *leveler) groups() []int {
	n := len(l.list)
	number, low, group, next := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	for i := range group {
		group[i] = -1
	}
	edge := func(i, e int) int {
		if r := &l.ranks[i]; e < len(r.owners) {
			return r.owners[e]
		} else if e -= len(r.owners); e < len(r.wants) {
			return r.wants[e]
		}
		return -1
	}
	count, groups := 0, 0
	var stack, way []int
	visit := func(i int) {
		count++
		number[i], low[i] = count, count
		stack, way = append(stack, i), append(way, i)
	}
	for start := range n {
		if number[start] > 0 {
			continue
		}
		visit(start)
		for len(way) > 0 {
			*l.steps++
			i := way[len(way)-1]
			o := edge(i, next[i])
			switch {
			case o >= 0:
				next[i]++
				if number[o] == 0 {
					visit(o)
				} else if group[o] < 0 {
					low[i] = min(low[i], number[o])
				}
				continue
			case low[i] == number[i]:
				for {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					group[top] = groups
					if top == i {
						break
					}
				}
				groups++
			}
			way = way[:len(way)-1]
			if len(way) > 0 {
				up := way[len(way)-1]
				low[up] = min(low[up], low[i])
			}
		}
	}
	return group
}
