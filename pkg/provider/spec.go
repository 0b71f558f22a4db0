// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Latest is the version that stands for the newest release.
const Latest = "latest"

// Spec is a provider as a person asks for it.
type Spec struct {
	Type Type
	Name string
	// Version is "vX.Y.Z", "latest", or empty: what the repository's URL says.
	Version string
}

// String gives the spec in the form in which it is written on the command line.
func (s Spec) String() string {
	if s.Version == "" {
		return s.Name
	}
	return s.Name + ":" + s.Version
}

// Label is the provider's label, for example "infrastructure-docker".
func (s Spec) Label() string { return Label(s.Type, s.Name) }

// ParseSpec reads "docker" or "docker:v1.14.2". Faults are of class Usage.
func ParseSpec(t Type, s string) (Spec, error) {
	name, ver, found := strings.Cut(s, ":")
	spec := Spec{Type: t, Name: name, Version: ver}
	switch {
	case name == "" || (found && ver == ""):
		return Spec{}, fault.WithHint(fault.Usagef("provider %q: name or version is empty", s),
			"write it as name or name:version, for example docker:v1.14.2")
	case name != strings.ToLower(name):
		return Spec{}, fault.WithHint(fault.Usagef("provider %q: names are in lower case", s), "did you mean %s?", strings.ToLower(name))
	case ver != "" && ver != Latest && !isVersion(ver):
		return Spec{}, fault.WithHint(fault.Usagef("provider %q: %q is not a version", s, ver), "versions look like v1.14.2")
	}
	return spec, nil
}

// Pin fills in the version that is installed if the spec names none, so that running a command again
// neither asks a repository for its newest release nor runs into a newer one.
func Pin(s Spec, installed []InstalledProvider) Spec {
	if s.Version != "" {
		return s
	}
	for _, p := range installed {
		if p.Type == s.Type && p.Name == s.Name && isVersion(p.Version) {
			s.Version = p.Version
		}
	}
	return s
}

func isVersion(s string) bool {
	_, err := version.ParseSemantic(s)
	return err == nil && strings.HasPrefix(s, "v")
}

// newest picks the highest version: releases before pre-releases, "" for none. What is no version is left out.
func newest(versions []string) string {
	var best *version.Version
	name := ""
	for _, s := range versions {
		v, err := version.ParseSemantic(s)
		if err != nil || !strings.HasPrefix(s, "v") {
			continue
		}
		if best == nil || newer(v, best) {
			best, name = v, s
		}
	}
	return name
}

func newer(a, b *version.Version) bool {
	if (a.PreRelease() == "") != (b.PreRelease() == "") {
		return a.PreRelease() == ""
	}
	return b.LessThan(a)
}
