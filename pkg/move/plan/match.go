// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"slices"
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
	// hits is how many objects it has named.
	hits int
}

// matchers understands KIND, KIND/NAME, KIND/NAMESPACE/NAME and label selectors.
func matchers(flag string, list []string, kinds Kinds) ([]*matcher, error) {
	var out []*matcher
	var faults fault.List
	for _, text := range list {
		m, err := parseMatcher(text, kinds)
		if err != nil {
			faults.Add(fault.WithCode(fault.Usage, fmt.Errorf("%s %q: %w", flag, text, err)))
			continue
		}
		out = append(out, m)
	}
	return out, faults.Err()
}

func parseMatcher(text string, kinds Kinds) (*matcher, error) {
	m := &matcher{text: text}
	if strings.ContainsAny(text, "=!, ") {
		var err error
		if m.selector, err = labels.Parse(text); err == nil && m.selector.Empty() {
			err = errors.New("this selects everything")
		}
		return m, err
	}
	parts := strings.Split(text, "/")
	if len(parts) > 3 || slices.Contains(parts, "") {
		return m, errors.New("want KIND, KIND/NAME, KIND/NAMESPACE/NAME or a label selector (a=b)")
	}
	found := kinds.named(parts[0])
	if len(found) == 0 {
		err := fmt.Errorf("the management cluster has no kind %q that could be moved", parts[0])
		if like := kinds.nearest(parts[0]); like != "" {
			return m, fault.WithHint(err, "did you mean %s?", strings.Join(append([]string{like}, parts[1:]...), "/"))
		}
		return m, fault.WithHint(err, "custom resources, Secrets and ConfigMaps can be moved")
	}
	m.kinds = map[schema.GroupKind]bool{}
	for _, k := range found {
		m.kinds[k.GroupKind()] = true
	}
	switch len(parts) {
	case 2:
		m.name = parts[1]
	case 3:
		m.namespace, m.name = parts[1], parts[2]
	}
	return m, nil
}

func (m *matcher) matches(n *node) bool {
	if m.selector != nil {
		return m.selector.Matches(labels.Set(n.obj.GetLabels()))
	}
	return m.kinds[n.key.GroupKind] && (m.name == "" || m.name == n.key.Name) && (m.namespace == "" || m.namespace == n.key.Namespace)
}

// matching is the first matcher that names an object, nil if none does.
func matching(list []*matcher, n *node) *matcher {
	var first *matcher
	for _, m := range list {
		if m.matches(n) {
			m.hits++
			if first == nil {
				first = m
			}
		}
	}
	return first
}
