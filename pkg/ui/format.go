// SPDX-License-Identifier: Apache-2.0

package ui

// Format is how a result is printed.
type Format string

// The formats.
const (
	// Table is aligned columns for people.
	Table Format = "table"
	// Wide is a table with more columns.
	Wide Format = "wide"
	// JSON is one object with apiVersion and kind.
	JSON Format = "json"
	// YAML is the same object as YAML.
	YAML Format = "yaml"
	// Name is one name a line.
	Name Format = "name"
)

// Formats are the formats of every listing.
func Formats() []Format { return []Format{Table, Wide, JSON, YAML, Name} }

// APIVersion is the version of what is printed as JSON and YAML. Within a version fields are added, never changed or removed.
const APIVersion = "clusterctl/v1"
