// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// ToYAML writes objects as YAML documents, in the given order, with --- between them. Keys are sorted, so that the
// same objects always give the same text.
func ToYAML(objs []*unstructured.Unstructured) ([]byte, error) {
	var out bytes.Buffer
	for i, o := range objs {
		if i > 0 {
			out.WriteString("---\n")
		}
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, fmt.Errorf("write %s %s as YAML: %w", o.GetKind(), o.GetName(), err)
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}
