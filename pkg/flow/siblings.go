// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

// siblings lists the records of other clusters that were begun on the same bootstrap cluster.
func siblings(records *Records, of *Record) ([]*Record, error) {
	all, err := records.List()
	var out []*Record
	for _, r := range all {
		a, b := r.Bootstrap, of.Bootstrap
		same := a.Type == b.Type && a.Name == b.Name && a.Itself == b.Itself
		switch {
		case a.UID != "" && b.UID != "": // Two kubeconfigs may lead to one cluster, and one kubeconfig to two.
			same = same && a.UID == b.UID
		case a.UID != "" || b.UID != "": // One of an older version: without a context it may be any of the file.
			same = same && a.Kubeconfig == b.Kubeconfig && (a.Context == b.Context || a.Context == "" || b.Context == "")
		default:
			same = same && a.Kubeconfig == b.Kubeconfig && a.Context == b.Context
		}
		if same && (r.Namespace != of.Namespace || r.Name != of.Name) {
			out = append(out, r)
		}
	}
	return out, err
}

// makes says whether the bootstrap cluster is there for clusters like this one, and so goes with the last of them: this run makes
// it, or an earlier one did. One that somebody made for himself stays.
func (c *Create) makes(ctx context.Context) (bool, error) {
	if c.record.Bootstrap.Type == bootstrap.Existing {
		return false, nil
	}
	st, err := c.boot.Status(ctx)
	if err != nil || st.State == bootstrap.Missing {
		return err == nil, err
	}
	others, err := siblings(c.records, c.record)
	for _, r := range others {
		if r.Bootstrap.Made {
			return true, nil
		}
	}
	return false, err
}
