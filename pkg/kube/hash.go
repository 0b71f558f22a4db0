// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// AppliedHashAnnotation holds a hash of what was applied last, so that a field that isn't wanted any more is noticed.
const AppliedHashAnnotation = "clusterctl.cluster.x-k8s.io/applied-hash"

// setHash annotates an object with the hash of itself.
func setHash(u *unstructured.Unstructured) {
	unstructured.RemoveNestedField(u.Object, "metadata", "annotations", AppliedHashAnnotation)
	data, err := json.Marshal(u.Object) // maps are written in the order of their keys
	if err != nil {
		return // what can't be written can't be sent either, and that is where it is reported
	}
	sum := sha256.Sum256(data)
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[AppliedHashAnnotation] = hex.EncodeToString(sum[:16])
	u.SetAnnotations(annotations)
}

func hashOf(u *unstructured.Unstructured) string { return u.GetAnnotations()[AppliedHashAnnotation] }
