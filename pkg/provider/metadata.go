// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

const (
	metadataFile       = "metadata.yaml"
	metadataAPIVersion = "clusterctl.cluster.x-k8s.io/v1alpha3"
)

// Metadata says which contract the releases of a provider fulfil.
type Metadata struct {
	APIVersion    string   `json:"apiVersion"`
	Kind          string   `json:"kind"`
	ReleaseSeries []Series `json:"releaseSeries"`
}

// Series is a minor version of a provider, for example 1.14.
type Series struct {
	Major uint `json:"major"`
	Minor uint `json:"minor"`
	// Contract is the version of the Cluster API contract, for example "v1beta2".
	Contract string `json:"contract"`
}

// ContractOf finds the contract of a version's series; "" if the series isn't listed.
func (m *Metadata) ContractOf(ver string) string {
	v, err := version.ParseSemantic(ver)
	if err != nil {
		return ""
	}
	for _, s := range m.ReleaseSeries {
		if s.Major == v.Major() && s.Minor == v.Minor() {
			return s.Contract
		}
	}
	return ""
}

func (m *Metadata) series() string {
	out := make([]string, 0, len(m.ReleaseSeries))
	for _, s := range m.ReleaseSeries {
		out = append(out, fmt.Sprintf("%d.%d", s.Major, s.Minor))
	}
	return strings.Join(out, ", ")
}

// Metadata reads the release's metadata.yaml. A release without one gives an error that wraps ErrNotFound.
func (r *Release) Metadata(ctx context.Context) (*Metadata, error) {
	src, err := r.File(ctx, metadataFile)
	if err != nil {
		return nil, err
	}
	var m Metadata
	if err := yaml.Unmarshal(src.Data, &m); err != nil {
		return nil, fault.Usagef("%s: not valid YAML: %w", src.Name, err)
	}
	switch {
	case m.APIVersion != metadataAPIVersion:
		return nil, fault.Usagef("%s: apiVersion is %q, not %q", src.Name, m.APIVersion, metadataAPIVersion)
	case m.Kind != "" && m.Kind != "Metadata": // older releases of some providers leave the kind out
		return nil, fault.Usagef("%s: kind is %q, not Metadata", src.Name, m.Kind)
	case len(m.ReleaseSeries) == 0:
		return nil, fault.Usagef("%s: no releaseSeries", src.Name)
	}
	return &m, nil
}

// Contract is the version of the Cluster API contract that the release fulfils. A release without metadata gives an
// error that wraps ErrNotFound; one that its own metadata doesn't list is refused.
func (r *Release) Contract(ctx context.Context) (string, error) {
	m, err := r.Metadata(ctx)
	if err != nil {
		return "", err
	}
	if c := m.ContractOf(r.Version); c != "" {
		return c, nil
	}
	return "", fault.WithHint(
		fault.Refusedf("%s %s: its metadata.yaml doesn't list this release series, only %s", r.Entry.Label(), r.Version, m.series()),
		"the release is incomplete, or the repository belongs to another provider; check the provider's url")
}
