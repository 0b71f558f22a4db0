// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// ErrNotFound says that a repository has no such version, or no such file in a version.
var ErrNotFound = errors.New("not found")

// Repository hands out the files of a provider's releases.
type Repository interface {
	// DefaultVersion is the version in the provider's URL: "vX.Y.Z" or "latest".
	DefaultVersion() string
	// ComponentsFile is the name of the components file.
	ComponentsFile() string
	// Latest finds the newest release; pre-releases count only where there is nothing else.
	Latest(ctx context.Context) (string, error)
	// Versions lists the versions where that can be known without asking a server, else it is nil.
	Versions() []string
	// Files lists the files of a version where that can be known without asking a server, else it is nil.
	Files(version string) []string
	// File reads a file of a version. The error wraps ErrNotFound if there is none.
	File(ctx context.Context, version, name string) (manifest.Source, error)
	// Where is the address of a file, for people.
	Where(version, name string) string
}

// newRepository finds the kind of repository from the entry's URL.
func (c *Config) newRepository(e Entry) (Repository, error) {
	if isRemote(e.URL) {
		r, err := parseRemote(e)
		if err != nil {
			return nil, err
		}
		r.fetch = &fetcher{client: c.client, authorize: c.authorize}
		r.cache = newCache(c.dirs.Cache)
		r.latest = &c.latest
		return r, nil
	}
	return parseLocal(e)
}

// missingFile is a file that a release doesn't have. It matches ErrNotFound.
type missingFile struct{ label, version, name, where string }

func (e *missingFile) Error() string {
	return fmt.Sprintf("%s %s has no %s at %s", e.label, e.version, e.name, e.where)
}

func (e *missingFile) Is(target error) bool { return target == ErrNotFound }

// ofRelease is the same where the release was named already.
type ofRelease struct{ *missingFile }

func (e ofRelease) Error() string { return fmt.Sprintf("there is no %s at %s", e.name, e.where) }

// notFound makes the error for a file that isn't there.
func notFound(label, version, name, where string) error {
	return &missingFile{label, version, name, where}
}
