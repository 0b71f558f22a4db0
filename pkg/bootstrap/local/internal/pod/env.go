// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// environment is the container's: the image's, then envFrom, then env, later ones winning.
func (p *Pod) environment(ctx context.Context, c *corev1.Container, image []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, e := range image {
		if name, value, ok := strings.Cut(e, "="); ok {
			vars[name] = value
		}
	}
	for i := range c.EnvFrom {
		if err := p.envFrom(ctx, &c.EnvFrom[i], vars); err != nil {
			return nil, err
		}
	}
	for _, e := range c.Env {
		value, ok, err := p.value(ctx, &e, vars)
		if err != nil {
			return nil, fmt.Errorf("fill in environment variable %s: %w", e.Name, err)
		}
		if ok {
			vars[e.Name] = value
		}
	}
	return vars, nil
}

func (p *Pod) envFrom(ctx context.Context, from *corev1.EnvFromSource, vars map[string]string) error {
	var data map[string][]byte
	var err error
	optional := false
	switch {
	case from.ConfigMapRef != nil:
		optional = from.ConfigMapRef.Optional != nil && *from.ConfigMapRef.Optional
		data, err = p.Reader.ConfigMap(ctx, p.Deployment.Namespace, from.ConfigMapRef.Name)
	case from.SecretRef != nil:
		optional = from.SecretRef.Optional != nil && *from.SecretRef.Optional
		data, err = p.Reader.Secret(ctx, p.Deployment.Namespace, from.SecretRef.Name)
	}
	if err != nil && (!optional || !errors.Is(err, ErrNotFound)) {
		return fmt.Errorf("fill in environment: %w", err)
	}
	for name, value := range data {
		vars[from.Prefix+name] = string(value)
	}
	return nil
}

// value is the value of one variable; ok is false if it is not to be set.
func (p *Pod) value(ctx context.Context, e *corev1.EnvVar, vars map[string]string) (value string, ok bool, err error) {
	from := e.ValueFrom
	switch {
	case from == nil:
		return Expand(e.Value, vars), true, nil
	case from.FieldRef != nil:
		value, err = p.field(from.FieldRef.FieldPath)
		return value, err == nil, err
	case from.ResourceFieldRef != nil:
		return "", false, nil // There are no limits here, and programs have defaults.
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		data, err := p.Reader.Secret(ctx, p.Deployment.Namespace, ref.Name)
		return fromKey("Secret", ref.Name, ref.Key, ref.Optional, data, err)
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		data, err := p.Reader.ConfigMap(ctx, p.Deployment.Namespace, ref.Name)
		return fromKey("ConfigMap", ref.Name, ref.Key, ref.Optional, data, err)
	}
	return "", false, fmt.Errorf("%w: the source of its value", ErrUnsupported)
}

func fromKey(kind, name, key string, optional *bool, data map[string][]byte, err error) (string, bool, error) {
	missingOK := optional != nil && *optional
	if err != nil {
		if missingOK && errors.Is(err, ErrNotFound) {
			err = nil
		}
		return "", false, err
	}
	value, ok := data[key]
	if !ok && !missingOK {
		return "", false, fmt.Errorf("key %s of %s %s: %w", key, kind, name, ErrNotFound)
	}
	return string(value), ok, nil
}

// field is the downward API.
func (p *Pod) field(path string) (string, error) {
	d := p.Deployment
	switch path {
	case "metadata.name":
		return p.Name(), nil
	case "metadata.namespace":
		return d.Namespace, nil
	case "metadata.uid":
		return string(d.UID), nil
	case "spec.serviceAccountName":
		return ServiceAccount(d), nil
	case "spec.nodeName":
		return "local", nil
	case "status.podIP", "status.podIPs", "status.hostIP", "status.hostIPs":
		return p.IP, nil
	}
	for prefix, values := range map[string]map[string]string{
		"metadata.labels": d.Spec.Template.Labels, "metadata.annotations": d.Spec.Template.Annotations,
	} {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			continue
		}
		if rest == "" {
			return format(values), nil
		}
		if key, ok := subscript(rest); ok {
			return values[key], nil
		}
	}
	return "", fmt.Errorf("%w: field %s", ErrUnsupported, path)
}

func subscript(s string) (string, bool) {
	s, open := strings.CutPrefix(s, "['")
	s, closed := strings.CutSuffix(s, "']")
	return s, open && closed
}

func format(values map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%s=%q\n", key, values[key])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// list is the environment as exec wants it.
func list(vars map[string]string) []string {
	out := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		out = append(out, name+"="+vars[name])
	}
	return out
}

// Expand replaces $(NAME) by the variable's value, as the API documents it for args and env:
// unknown names stay as they are, and $$ is a dollar sign.
func Expand(s string, vars map[string]string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s, ')')
		switch {
		case s[1] == '$':
			b.WriteByte('$')
			s = s[2:]
		case s[1] == '(' && end > 0:
			if value, ok := vars[s[2:end]]; ok {
				b.WriteString(value)
			} else {
				b.WriteString(s[:end+1])
			}
			s = s[end+1:]
		default:
			b.WriteByte('$')
			s = s[1:]
		}
	}
}
