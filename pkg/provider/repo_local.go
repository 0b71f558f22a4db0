// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// localRepository is a folder tree: <dir>/<version>/<file>.
type localRepository struct {
	label   string
	dir     string
	version string
	file    string
}

// parseLocal takes <base>/<label>/<version>/<components file> apart; the version may be "latest".
func parseLocal(e Entry) (*localRepository, error) {
	versionDir, file := filepath.Split(e.URL)
	versionDir = filepath.Clean(versionDir)
	r := &localRepository{label: e.Label(), dir: filepath.Dir(versionDir), version: filepath.Base(versionDir), file: file}
	if file == "" || (r.version != Latest && !isVersion(r.version)) {
		return nil, fmt.Errorf("%s: a local repository's url ends in <version>/<components file>, the version like v1.2.3 or latest", e.URL)
	}
	return r, nil
}

func (r *localRepository) DefaultVersion() string { return r.version }

func (r *localRepository) ComponentsFile() string { return r.file }

func (r *localRepository) Where(version, name string) string {
	return filepath.Join(r.dir, version, name)
}

func (r *localRepository) Latest(context.Context) (string, error) {
	if v := newest(r.Versions()); v != "" {
		return v, nil
	}
	if _, err := os.ReadDir(r.dir); err != nil {
		return "", fault.WithHint(fault.Usagef("find the newest version of %s: %w", r.label, err), "check the provider's url in clusterctl.yaml")
	}
	return "", fault.Usagef("find the newest version of %s: no folder in %s is called like a version (v1.2.3): %w", r.label, r.dir, ErrNotFound)
}

// Versions lists the folders that are called like a version, oldest first.
func (r *localRepository) Versions() []string {
	dirs, _ := os.ReadDir(r.dir)
	out := []string{}
	for _, d := range dirs {
		if info, err := os.Stat(filepath.Join(r.dir, d.Name())); err == nil && info.IsDir() && isVersion(d.Name()) {
			out = append(out, d.Name())
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if version.MustParseSemantic(a).LessThan(version.MustParseSemantic(b)) {
			return -1
		}
		return 1
	})
	return out
}

func (r *localRepository) Files(version string) []string {
	entries, _ := os.ReadDir(filepath.Join(r.dir, version))
	out := []string{}
	for _, e := range entries {
		if !e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func (r *localRepository) File(_ context.Context, version, name string) (manifest.Source, error) {
	path := r.Where(version, name)
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		return manifest.Source{Name: path, Data: data}, nil
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		if err := r.checkVersion(version); err != nil {
			return manifest.Source{}, err
		}
		return manifest.Source{}, notFound(r.label, version, name, filepath.Dir(path))
	}
	return manifest.Source{}, fmt.Errorf("read %s of %s %s: %w", name, r.label, version, err)
}

// checkVersion says which versions there are if the one asked for isn't there.
func (r *localRepository) checkVersion(version string) error {
	if info, err := os.Stat(filepath.Join(r.dir, version)); err == nil && info.IsDir() {
		return nil
	}
	err := fault.Usagef("version %s of provider %s is not in %s: %w", version, r.label, r.dir, ErrNotFound)
	if known := r.Versions(); len(known) > 0 {
		return fault.WithHint(err, "there is %s", strings.Join(known, ", "))
	}
	return fault.WithHint(err, "check the provider's url in clusterctl.yaml")
}
