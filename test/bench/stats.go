// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"time"
)

// series are the results of some runs, in seconds, bytes or whatever.
type series []float64

func (s series) min() float64 { return slices.Min(s) }
func (s series) max() float64 { return slices.Max(s) }

func (s series) median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// walls and peaks take series out of costs.
func walls(costs []cost) series {
	var s series
	for _, c := range costs {
		s = append(s, c.wall.Seconds())
	}
	return s
}

func peaks(costs []cost) series {
	var s series
	for _, c := range costs {
		s = append(s, c.rss)
	}
	return s
}

// columns are minimum, median and maximum as cells of a table.
func (s series) columns(show func(float64) string) string {
	return fmt.Sprintf("%s | %s | %s", show(s.min()), show(s.median()), show(s.max()))
}

const (
	mib = 1 << 20
	mb  = 1e6
)

func inMs(seconds float64) string { return fmt.Sprintf("%.1f ms", seconds*1000) }
func inS(seconds float64) string  { return fmt.Sprintf("%.2f s", seconds) }

func inMiB(bytes float64) string {
	if bytes == 0 {
		return "not known"
	}
	return fmt.Sprintf("%.1f MiB", bytes/mib)
}

func inRatio(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }

func seconds(d time.Duration) string { return inS(d.Seconds()) }
