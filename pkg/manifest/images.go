// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Images lists the container images that the objects name, sorted, each once.
func Images(objs []*unstructured.Unstructured) []string {
	seen := map[string]bool{}
	for _, o := range objs {
		for _, c := range containers(o) {
			if image, ok := c["image"].(string); ok && image != "" {
				seen[image] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// MapImages replaces every image by what f makes of it. It changes the objects and stops at the first error of f.
func MapImages(objs []*unstructured.Unstructured, f func(image string) (string, error)) error {
	for _, o := range objs {
		for _, c := range containers(o) {
			image, ok := c["image"].(string)
			if !ok || image == "" {
				continue
			}
			mapped, err := f(image)
			if err != nil {
				return fmt.Errorf("set image of container %v in %s %s: %w", c["name"], o.GetKind(), o.GetName(), err)
			}
			c["image"] = mapped
		}
	}
	return nil
}

// containers finds the containers of all kinds that run pods.
func containers(o *unstructured.Unstructured) []map[string]any {
	pod := PodSpec(o)
	var out []map[string]any
	for _, field := range []string{"initContainers", "containers", "ephemeralContainers"} {
		each(pod, func(c map[string]any) { out = append(out, c) }, field)
	}
	return out
}

// PodSpec is the specification of the pods that an object is or makes, for all kinds of Kubernetes that do; nil for other objects. It is the
// object's own: what is set in it is set in the object.
func PodSpec(o *unstructured.Unstructured) map[string]any {
	gk := o.GroupVersionKind().GroupKind()
	switch gk.String() {
	case "Pod":
		return child(o.Object, "spec")
	case "PodTemplate":
		return child(o.Object, "template", "spec")
	case "CronJob.batch":
		return child(o.Object, "spec", "jobTemplate", "spec", "template", "spec")
	case "Deployment.apps", "DaemonSet.apps", "StatefulSet.apps", "ReplicaSet.apps", "ReplicationController", "Job.batch",
		"Deployment.extensions", "DaemonSet.extensions", "ReplicaSet.extensions":
		return child(o.Object, "spec", "template", "spec")
	}
	return nil
}
