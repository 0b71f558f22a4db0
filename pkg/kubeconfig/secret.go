// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// secret is a Secret that should hold a kubeconfig.
type secret struct{ *unstructured.Unstructured }

// secret reads the Secret to hand out, nil if there is none.
func (f *fetcher) secret(ctx context.Context) (*secret, error) {
	if !f.opts.Internal {
		user, err := f.userSecret(ctx)
		if user != nil || err != nil {
			return user, err
		}
	}
	name := capi.KubeconfigSecretName(f.opts.Name)
	s, err := f.get(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case errors.Is(err, ErrForbidden):
		return nil, fault.WithHint(err, "check that %s is the right namespace (-n), and the right user (--kubeconfig-context)", f.opts.Namespace)
	}
	return s, err
}

// userSecret reads the one for people, nil if there is none, it may not be read, or it
// belongs to another cluster.
func (f *fetcher) userSecret(ctx context.Context) (*secret, error) {
	name := capi.UserKubeconfigSecretName(f.opts.Name)
	s, err := f.get(ctx, name)
	switch {
	case apierrors.IsNotFound(err), errors.Is(err, ErrForbidden):
		return nil, nil
	case err != nil:
		return nil, err
	}
	mine, err := f.isMine(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		event.Warnf(f.opts.Sink, "secret %s/%s is left alone: it can't be told whether it belongs to a cluster %q", f.opts.Namespace, name, f.opts.Name+userSuffix)
		return nil, nil // the other Secret is as good, and surely the right one
	}
	if !mine {
		return nil, nil
	}
	return s, nil
}

const userSuffix = "-user"

// isMine tells the Secret for people of cluster "a" from that for the controllers of a
// cluster "a-user": both are called a-user-kubeconfig. The label doesn't settle it, the
// EKS provider labels the former with "a-user" too. So the question is whether such a cluster exists.
func (f *fetcher) isMine(ctx context.Context, s *secret) (bool, error) {
	if s.GetLabels()[capi.ClusterNameLabel] == f.opts.Name {
		return true, nil
	}
	namesake, err := f.cluster(ctx, f.opts.Namespace, f.opts.Name+userSuffix)
	if err != nil {
		return false, err
	}
	return namesake == nil, nil
}

func (f *fetcher) get(ctx context.Context, name string) (*secret, error) {
	u, err := f.c.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, f.opts.Namespace, name)
	if err != nil {
		return nil, err
	}
	return &secret{u}, nil
}

// kubeconfig decodes what is in the Secret.
func (s *secret) kubeconfig() (*Kubeconfig, error) {
	fail := func(m *MalformedError) error {
		m.Namespace, m.Secret = s.GetNamespace(), s.GetName()
		return fault.WithHint(m, "the control plane provider writes this secret: see its controller's log, or delete the secret if the provider makes it again")
	}
	data, _, _ := unstructured.NestedMap(s.Object, "data")
	text, ok := data[valueKey].(string)
	if !ok {
		return nil, fail(&MalformedError{Problem: MissingKey, Keys: slices.Sorted(maps.Keys(data))})
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fail(&MalformedError{Problem: NotKubeconfig, Detail: "the server sent no base64"})
	}
	k, err := Parse(raw)
	if err != nil {
		var m *MalformedError
		if !errors.As(err, &m) {
			return nil, err
		}
		return nil, fail(m)
	}
	k.Namespace, k.Secret = s.GetNamespace(), s.GetName()
	return k, nil
}
