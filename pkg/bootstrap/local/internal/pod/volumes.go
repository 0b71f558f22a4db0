// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
	corev1 "k8s.io/api/core/v1"
)

// mount is a path in the container and what it is on the host.
type mount struct{ inside, host string }

// mounts are a container's, longest path first.
type mounts []mount

func (p *Pod) volumeDir(name string) string { return filepath.Join(p.Dir, "volumes", name) }

// mounts are the container's mounts of volumes that have another path on the host.
func (p *Pod) mounts(c *corev1.Container) mounts {
	var ms mounts
	for _, m := range c.VolumeMounts {
		i := slices.IndexFunc(p.spec().Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		if i < 0 {
			continue
		}
		host := p.volumeDir(m.Name)
		if hp := p.spec().Volumes[i].HostPath; hp != nil {
			host = hp.Path
		}
		host = filepath.Join(host, filepath.FromSlash(path.Clean("/"+m.SubPath)))
		if inside := path.Clean("/" + m.MountPath); inside != host {
			ms = append(ms, mount{inside: inside, host: host})
		}
	}
	slices.SortStableFunc(ms, func(a, b mount) int { return len(b.inside) - len(a.inside) })
	return ms
}

// replace turns a path below a mount into the host's; other values stay.
func (ms mounts) replace(value string) string {
	for _, m := range ms {
		if rest, ok := strings.CutPrefix(value, m.inside); ok && (rest == "" || rest[0] == '/') {
			return m.host + rest
		}
	}
	return value
}

// Volumes makes the directories of the volumes that containers mount, and links them into the
// directory for temporary files: programs look there for what they were told to find below /tmp.
func (p *Pod) Volumes(ctx context.Context) error {
	if err := os.RemoveAll(p.tmp()); err != nil {
		return err
	}
	if err := os.MkdirAll(p.tmp(), 0o700); err != nil {
		return err
	}
	mounted := map[string]bool{}
	for _, c := range p.spec().Containers {
		for _, m := range c.VolumeMounts {
			mounted[m.Name] = true
		}
	}
	for i := range p.spec().Volumes {
		v := &p.spec().Volumes[i]
		if !mounted[v.Name] {
			continue
		}
		if err := p.volume(ctx, v); err != nil {
			return fmt.Errorf("prepare volume %s: %w", v.Name, err)
		}
	}
	for _, c := range p.spec().Containers {
		if err := p.link(&c); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pod) link(c *corev1.Container) error {
	for _, m := range p.mounts(c) {
		rest, ok := strings.CutPrefix(m.inside, "/tmp/")
		if !ok {
			continue
		}
		at := filepath.Join(p.tmp(), filepath.FromSlash(rest))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.Symlink(m.host, at); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

func (p *Pod) volume(ctx context.Context, v *corev1.Volume) error {
	files := map[string][]byte{}
	var err error
	switch {
	case v.HostPath != nil:
		return nil
	case v.EmptyDir != nil:
		return os.MkdirAll(p.volumeDir(v.Name), 0o700)
	case v.Secret != nil:
		err = p.secretFiles(ctx, v.Secret.SecretName, v.Secret.Items, v.Secret.Optional, files)
	case v.ConfigMap != nil:
		err = p.configMapFiles(ctx, v.ConfigMap.Name, v.ConfigMap.Items, v.ConfigMap.Optional, files)
	case v.DownwardAPI != nil:
		err = p.downwardFiles(v.DownwardAPI.Items, files)
	case v.Projected != nil:
		err = p.projected(ctx, v.Projected.Sources, files)
	default:
		return fmt.Errorf("%w: this kind of volume", ErrUnsupported)
	}
	if err != nil {
		return err
	}
	return writeFiles(p.volumeDir(v.Name), files)
}

func (p *Pod) projected(ctx context.Context, sources []corev1.VolumeProjection, files map[string][]byte) error {
	for _, s := range sources {
		var err error
		switch {
		case s.Secret != nil:
			err = p.secretFiles(ctx, s.Secret.Name, s.Secret.Items, s.Secret.Optional, files)
		case s.ConfigMap != nil:
			err = p.configMapFiles(ctx, s.ConfigMap.Name, s.ConfigMap.Items, s.ConfigMap.Optional, files)
		case s.DownwardAPI != nil:
			err = p.downwardFiles(s.DownwardAPI.Items, files)
		default:
			err = fmt.Errorf("%w: a projected volume of tokens or trust bundles", ErrUnsupported)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Pod) secretFiles(ctx context.Context, name string, items []corev1.KeyToPath, optional *bool, files map[string][]byte) error {
	data, err := p.Reader.Secret(ctx, p.Deployment.Namespace, name)
	return pick("Secret "+name, data, err, items, optional, files)
}

func (p *Pod) configMapFiles(ctx context.Context, name string, items []corev1.KeyToPath, optional *bool, files map[string][]byte) error {
	data, err := p.Reader.ConfigMap(ctx, p.Deployment.Namespace, name)
	return pick("ConfigMap "+name, data, err, items, optional, files)
}

func (p *Pod) downwardFiles(items []corev1.DownwardAPIVolumeFile, files map[string][]byte) error {
	for _, item := range items {
		if item.FieldRef == nil {
			continue
		}
		value, err := p.field(item.FieldRef.FieldPath)
		if err != nil {
			return err
		}
		files[item.Path] = []byte(value)
	}
	return nil
}

// pick takes the keys that items name, or all.
func pick(what string, data map[string][]byte, err error, items []corev1.KeyToPath, optional *bool, files map[string][]byte) error {
	missingOK := optional != nil && *optional
	if err != nil {
		if missingOK && errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	}
	if len(items) == 0 {
		maps.Copy(files, data)
		return nil
	}
	for _, item := range items {
		content, ok := data[item.Key]
		if !ok && !missingOK {
			return fmt.Errorf("key %s of %s: %w", item.Key, what, ErrNotFound)
		}
		if ok {
			files[item.Path] = content
		}
	}
	return nil
}

// writeFiles makes dir hold exactly files. It can't write outside of dir.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	keep := map[string]bool{}
	for name, content := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("write %q: the path leads out of the volume", name)
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		keep[file] = true
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := atomicfile.Write(file, content, 0o600); err != nil {
			return err
		}
	}
	return filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || keep[file] {
			return err
		}
		return os.Remove(file)
	})
}
