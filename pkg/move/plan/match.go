// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// matcher is one of the ways in which flags name objects.
type matcher struct {
	text            string
	kinds           map[schema.GroupKind]bool
	namespace, name string
	selector        labels.Selector
}

// matchers understands KIND, KIND/NAME, KIND/NAMESPACE/NAME and label selectors.
func matchers(flag string, list []string, kinds Kinds) ([]matcher, error) {
	var out []matcher
	var faults fault.List
	for _, text := range list {
		m, err := parseMatcher(text, kinds)
		if err != nil {
			faults.Add(fault.Usagef("%s %q: %v", flag, text, err))
			continue
		}
		out = append(out, m)
	}
	return out, faults.Err()
}

func parseMatcher(text string, kinds Kinds) (matcher, error) {
	m := matcher{text: text}
	if strings.ContainsAny(text, "=!, ") {
		var err error
		m.selector, err = labels.Parse(text)
		return m, err
	}
	parts := strings.Split(text, "/")
	if len(parts) > 3 || parts[0] == "" {
		return m, fault.Usagef("want KIND, KIND/NAME, KIND/NAMESPACE/NAME or a label selector (a=b)")
	}
	found := kinds.named(parts[0])
	if len(found) == 0 {
		return m, fault.Usagef("the management cluster has no such kind that could be moved")
	}
	m.kinds = map[schema.GroupKind]bool{}
	for _, k := range found {
		m.kinds[k.GroupKind()] = true
	}
	m.name = parts[len(parts)-1]
	switch len(parts) {
	case 1:
		m.name = ""
	case 3:
		m.namespace = parts[1]
	}
	return m, nil
}

func (m matcher) matches(n *node) bool {
	if m.selector != nil {
		return m.selector.Matches(labels.Set(n.obj.GetLabels()))
	}
	return m.kinds[n.key.GroupKind] && (m.name == "" || m.name == n.key.Name) && (m.namespace == "" || m.namespace == n.key.Namespace)
}

func anyMatches(list []matcher, n *node) bool {
	for _, m := range list {
		if m.matches(n) {
			return true
		}
	}
	return false
}
