// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
)

type key struct{ namespace, name string }

// index finds the process behind a Service.
type index struct {
	services    map[key]*unstructured.Unstructured
	deployments []*unstructured.Unstructured
	secrets     map[key]bool
}

func newIndex(objs []*unstructured.Unstructured) *index {
	idx := &index{services: map[key]*unstructured.Unstructured{}, secrets: map[key]bool{}}
	for _, obj := range objs {
		k := key{obj.GetNamespace(), obj.GetName()}
		switch obj.GroupVersionKind().GroupKind().String() {
		case "Service":
			idx.services[k] = obj
		case "Deployment.apps":
			idx.deployments = append(idx.deployments, obj)
		case "Secret":
			idx.secrets[k] = true
		}
	}
	slices.SortStableFunc(idx.deployments, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return idx
}

// resolve follows a Service to its Deployment and the container port, named as Host.Port wants it.
func (idx *index) resolve(namespace, name string, port int64) (deployment, target string, err error) {
	obj, ok := idx.services[key{namespace, name}]
	if !ok {
		return "", "", fmt.Errorf("it calls Service %s/%s, which isn't among the components", namespace, name)
	}
	var svc corev1.Service
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &svc); err != nil {
		return "", "", fmt.Errorf("read Service %s/%s: %w", namespace, name, err)
	}
	i := slices.IndexFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool { return int64(p.Port) == port })
	if i < 0 {
		return "", "", fmt.Errorf("it calls port %d of Service %s/%s, which has no such port", port, namespace, name)
	}
	to := svc.Spec.Ports[i].TargetPort
	if to == (intstr.IntOrString{}) {
		to = intstr.FromInt32(svc.Spec.Ports[i].Port)
	}
	if len(svc.Spec.Selector) == 0 {
		return "", "", fmt.Errorf("it calls Service %s/%s, which has no selector", namespace, name)
	}
	return idx.behind(&svc, to)
}

func (idx *index) behind(svc *corev1.Service, to intstr.IntOrString) (deployment, target string, err error) {
	selector := labels.SelectorFromSet(svc.Spec.Selector)
	for _, obj := range idx.deployments {
		if obj.GetNamespace() != svc.Namespace {
			continue
		}
		var d appsv1.Deployment
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &d); err != nil {
			return "", "", fmt.Errorf("read Deployment %s/%s: %w", obj.GetNamespace(), obj.GetName(), err)
		}
		if !selector.Matches(labels.Set(d.Spec.Template.Labels)) {
			continue
		}
		if target, ok := containerPort(&d, to); ok {
			return d.Name, target, nil
		}
		return "", "", fmt.Errorf("it calls Service %s/%s, whose target port %s Deployment %s doesn't name", svc.Namespace, svc.Name, to.String(), d.Name)
	}
	return "", "", fmt.Errorf("it calls Service %s/%s, and none of the components' Deployments is behind it", svc.Namespace, svc.Name)
}

// containerPort names the port that a Service targets. A number need not be declared in the Deployment, a name must be.
func containerPort(d *appsv1.Deployment, to intstr.IntOrString) (string, bool) {
	for _, c := range d.Spec.Template.Spec.Containers {
		for _, p := range c.Ports {
			if to.Type == intstr.String && p.Name == to.StrVal || to.Type == intstr.Int && p.ContainerPort == to.IntVal {
				return ports.PortName(p), true
			}
		}
	}
	return strconv.Itoa(int(to.IntVal)), to.Type == intstr.Int
}
