// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Manages says whether an entry of an object's managed fields has something of a field at the top of the object, for example "webhooks".
// An entry that can't be read has nothing.
func Manages(entry metav1.ManagedFieldsEntry, field string) bool {
	var fields map[string]any
	if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
		return false
	}
	_, ok := fields["f:"+field]
	return ok
}
