// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

// PivotState says which cluster holds the objects of a Cluster.
type PivotState string

// The states, in the order in which they come.
const (
	// NotPivoted means that the bootstrap cluster holds them.
	NotPivoted PivotState = ""
	// Pivoting means that the move into the cluster itself has begun; the move's journals say how far it is.
	Pivoting PivotState = "pivoting"
	// Pivoted means that the cluster manages itself, and that the bootstrap cluster may still be there.
	Pivoted PivotState = "pivoted"
	// SelfManaged means that nothing but the cluster itself is left.
	SelfManaged PivotState = "self-managed"
	// Returning means that the move out of the cluster itself, to a bootstrap cluster, has begun.
	Returning PivotState = "returning"
	// Recovering means that a deletion brings them back from a snapshot, because the bootstrap cluster that held them is gone.
	Recovering PivotState = "recovering"
)

// wantsPivot says whether the cluster is to manage itself, or why not. A bootstrap cluster that was there before stays, so
// it may just as well go on managing: there a pivot has to be asked for.
func (c *Create) wantsPivot() (want bool, why string) {
	switch p := c.record.Inputs.Pivot; {
	case p != nil && *p:
		return true, ""
	case p != nil:
		return false, "not wanted (--pivot=false): the bootstrap cluster keeps managing the cluster"
	case c.record.Bootstrap.Type == bootstrap.Existing:
		return false, "not asked for (--pivot): the cluster that was there before keeps managing it"
	case c.record.Inputs.ProviderComponents != "":
		return false, "not asked for (--pivot): the providers come from a file, which only the bootstrap cluster gets"
	case c.cantHold != "":
		return false, c.cantHold + ": the bootstrap cluster keeps managing it"
	}
	return true, ""
}

// skipPivoting skips what comes before a pivot once that has begun: the bootstrap cluster's controllers stand still, or are gone.
func (c *Create) skipPivoting() string {
	switch c.record.Pivot {
	case Pivoting:
		return "done: the cluster is being moved into itself"
	case Pivoted:
		return "done: the cluster manages itself"
	}
	return ""
}

// skipBootstrapStep doesn't bring a bootstrap cluster back that may be half deleted.
func (c *Create) skipBootstrapStep() string {
	if c.record.Pivot == Pivoted {
		return "not needed any more, the cluster manages itself"
	}
	return ""
}

func (c *Create) skipProviders() string {
	if c.record.Pivot == SelfManaged {
		return "the cluster manages itself with what is installed there"
	}
	return c.skipPivoting()
}

func (c *Create) skipPivotProviders() string {
	switch c.record.Pivot {
	case Pivoted, SelfManaged:
		return "the cluster manages itself"
	}
	_, why := c.wantsPivot()
	return why
}

func (c *Create) skipPivot() string { return c.skipPivotProviders() }

func (c *Create) skipPivotBootstrap() string {
	if c.record.Pivot == SelfManaged {
		return "it is gone, the cluster manages itself"
	}
	if _, why := c.wantsPivot(); why != "" {
		return "it manages the cluster"
	}
	return ""
}
