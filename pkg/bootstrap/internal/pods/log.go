// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// logTimeout bounds a look at a log: it is shown next to something else that already waits.
const logTimeout = 10 * time.Second

// LastLog returns the last lines of the newest pod of a Deployment; of its containers, the one called manager counts.
func LastLog(ctx context.Context, cfg *rest.Config, namespace, deployment string, lines int) ([]string, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.Timeout = logTimeout
	client, err := New(cfg)
	if err != nil {
		return nil, err
	}
	d, err := client.Deployment(ctx, namespace, deployment)
	if err != nil {
		return nil, fmt.Errorf("read log of %s/%s: %w", namespace, deployment, err)
	}
	pod, err := newestPod(ctx, client, d)
	if err != nil || pod == nil {
		return nil, err
	}
	container := mainContainer(pod)
	data, err := client.core.Get().Namespace(namespace).Resource("pods").Name(pod.Name).SubResource("log").
		Param("container", container).Param("tailLines", strconv.Itoa(lines)).DoRaw(ctx)
	if err != nil {
		if why := waiting(pod, container); why != "" {
			return nil, fmt.Errorf("read log of pod %s/%s: container %s hasn't started: %s", namespace, pod.Name, container, why)
		}
		return nil, fmt.Errorf("read log of pod %s/%s: %w", namespace, pod.Name, err)
	}
	text := strings.TrimRight(string(data), "\n")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

func newestPod(ctx context.Context, client *Client, d *appsv1.Deployment) (*corev1.Pod, error) {
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("read log of %s/%s: %w", d.Namespace, d.Name, err)
	}
	pods, err := client.Pods(ctx, d.Namespace, selector.String())
	if err != nil {
		return nil, fmt.Errorf("list pods of %s/%s: %w", d.Namespace, d.Name, err)
	}
	var newest *corev1.Pod
	for i := range pods {
		if p := &pods[i]; newest == nil || newest.CreationTimestamp.Before(&p.CreationTimestamp) {
			newest = p
		}
	}
	return newest, nil
}

// waiting says what keeps a container from starting; the server's own answer to a request for its log doesn't.
func waiting(pod *corev1.Pod, name string) string {
	for _, s := range pod.Status.ContainerStatuses {
		if w := s.State.Waiting; s.Name == name && w != nil {
			return strings.TrimSuffix(w.Reason+": "+w.Message, ": ")
		}
	}
	return ""
}

// mainContainer is the one called manager, the name that all providers use, else the first.
func mainContainer(pod *corev1.Pod) string {
	for _, c := range pod.Spec.Containers {
		if c.Name == "manager" {
			return c.Name
		}
	}
	return pod.Spec.Containers[0].Name
}
