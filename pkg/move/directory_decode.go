// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// decodeFile reads the objects of a file, after it decrypted one that is encrypted. Numbers become what an API server's answer makes of
// them: an int64 stays exact. Faults name the place in the file, never a value.
func decodeFile(path string, data []byte, decrypt func([]byte) ([]byte, error)) ([]*unstructured.Unstructured, error) {
	if strings.HasSuffix(path, encryptedEnd) {
		var err error
		if data, err = decrypt(data); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if strings.HasSuffix(path, snapshotEnd) {
		objs, err := decodeLines(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return objs, nil
	}
	objs, err := manifest.Parse(manifest.Source{Name: path, Data: data})
	if err != nil {
		return nil, err
	}
	if len(objs) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	for _, o := range objs {
		if o.GetName() == "" {
			return nil, fmt.Errorf("%s: the object has no name", o.Origin)
		}
	}
	return manifest.Unwrap(objs), nil
}

// encodeFile writes an object as YAML, for people and their tools. What YAML can't carry exactly (some line breaks beyond ASCII) is
// written as JSON, which is YAML too and is read as JSON here. It isn't taken on trust: the text is read again.
func encodeFile(u *unstructured.Unstructured) ([]byte, error) {
	exact, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	text, err := manifest.ToYAML([]*unstructured.Unstructured{u})
	if err != nil {
		return exact, nil //nolint:nilerr // that is the other way to write it
	}
	objs, err := manifest.Parse(manifest.Source{Data: text})
	if err != nil || len(objs) != 1 {
		return exact, nil //nolint:nilerr // the same
	}
	if again, err := objs[0].MarshalJSON(); err != nil || !bytes.Equal(again, exact) {
		return exact, nil //nolint:nilerr // the same
	}
	return text, nil
}

// decodeLines reads a snapshot: an object a line, and a last one that says that it is whole.
func decodeLines(data []byte) ([]*unstructured.Unstructured, error) {
	lines, err := unsealed(data)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for n, line := range lines {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(line); err != nil {
			return nil, fmt.Errorf("line %d isn't an object in JSON", n+1)
		}
		if u.GetName() == "" {
			return nil, fmt.Errorf("line %d: the object has no name", n+1)
		}
		out = append(out, u)
	}
	return out, nil
}

func isSecret(u *unstructured.Unstructured) bool {
	return u.GetAPIVersion() == "v1" && u.GetKind() == "Secret"
}
