// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Client talks to one API server. Its errors are the server's, as apimachinery's api/errors knows them.
type Client struct{ apps, core rest.Interface }

// New prepares a Client and sends nothing.
func New(cfg *rest.Config) (*Client, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme} {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	c := &Client{}
	var err error
	codecs := serializer.NewCodecFactory(s).WithoutConversion()
	if c.apps, err = restClient(cfg, codecs, "/apis", appsv1.SchemeGroupVersion); err != nil {
		return nil, err
	}
	c.core, err = restClient(cfg, codecs, "/api", corev1.SchemeGroupVersion)
	return c, err
}

func restClient(cfg *rest.Config, codecs runtime.NegotiatedSerializer, path string, gv schema.GroupVersion) (rest.Interface, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.NegotiatedSerializer, cfg.APIPath, cfg.GroupVersion = codecs, path, &gv
	return rest.RESTClientFor(cfg)
}

// Deployments lists those of all namespaces.
func (c *Client) Deployments(ctx context.Context) ([]appsv1.Deployment, error) {
	out := &appsv1.DeploymentList{}
	err := c.apps.Get().Resource("deployments").Do(ctx).Into(out)
	return out.Items, err
}

// WatchDeployments is what an informer of the Deployments of all namespaces asks.
func (c *Client) WatchDeployments() cache.ListerWatcher {
	return cache.NewListWatchFromClient(c.apps, "deployments", "", fields.Everything())
}

// Deployment reads one.
func (c *Client) Deployment(ctx context.Context, namespace, name string) (*appsv1.Deployment, error) {
	out := &appsv1.Deployment{}
	err := c.apps.Get().Namespace(namespace).Resource("deployments").Name(name).Do(ctx).Into(out)
	return out, err
}

// PatchStatus changes a Deployment's status by a JSON merge patch and returns the result.
func (c *Client) PatchStatus(ctx context.Context, namespace, name, manager string, patch []byte) (*appsv1.Deployment, error) {
	out := &appsv1.Deployment{}
	err := c.apps.Patch(types.MergePatchType).Namespace(namespace).Resource("deployments").Name(name).SubResource("status").
		Param("fieldManager", manager).Body(patch).Do(ctx).Into(out)
	return out, err
}

// Secret reads one.
func (c *Client) Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	out := &corev1.Secret{}
	err := c.core.Get().Namespace(namespace).Resource("secrets").Name(name).Do(ctx).Into(out)
	return out, err
}

// PatchSecret changes one by a JSON merge patch.
func (c *Client) PatchSecret(ctx context.Context, namespace, name, manager string, patch []byte) error {
	return c.core.Patch(types.MergePatchType).Namespace(namespace).Resource("secrets").Name(name).
		Param("fieldManager", manager).Body(patch).Do(ctx).Error()
}

// ConfigMap reads one.
func (c *Client) ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	out := &corev1.ConfigMap{}
	err := c.core.Get().Namespace(namespace).Resource("configmaps").Name(name).Do(ctx).Into(out)
	return out, err
}

// Pods lists those of a namespace whose labels match a selector in Kubernetes' text form.
func (c *Client) Pods(ctx context.Context, namespace, selector string) ([]corev1.Pod, error) {
	out := &corev1.PodList{}
	err := c.core.Get().Namespace(namespace).Resource("pods").Param("labelSelector", selector).Do(ctx).Into(out)
	return out.Items, err
}
