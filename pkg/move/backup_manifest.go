// SPDX-License-Identifier: Apache-2.0

package move

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

const (
	// manifestName is the file that makes a folder a whole backup: it is written last.
	manifestName = "clusterctl-backup.yaml"
	// backupVersion is the version of the format. Within a version fields are added only.
	backupVersion = "v1"
)

// contents say what a backup holds.
type contents struct {
	Version string    `json:"version"`
	Made    time.Time `json:"made"`
	// Source is the management cluster that it was made of.
	Source Side `json:"source"`
	// Scope is for people.
	Scope string `json:"scope"`
	// Objects is how many there are, Kinds how many of each kind.
	Objects int            `json:"objects"`
	Kinds   map[string]int `json:"kinds"`
	// Providers are the versions that ran on the source, by label.
	Providers map[string]string `json:"providers,omitempty"`
	// Namespaces are those of the objects.
	Namespaces map[string]namespaceMeta `json:"namespaces,omitempty"`
	// Files are the sums (SHA-256, in hex) of the files, by name.
	Files map[string]string `json:"files"`
}

type namespaceMeta struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// BackupProviders are the providers that ran where a backup was made: versions by label. A folder of upstream's and a snapshot don't say.
func BackupProviders(dir string) (map[string]string, error) {
	if st, err := os.Stat(dir); err != nil {
		return nil, noBackup(dir, err)
	} else if !st.IsDir() {
		return nil, nil
	}
	man, err := readManifest(dir)
	if err != nil || man == nil {
		return nil, err
	}
	return man.Providers, nil
}

func (man *contents) count(p *plan.Plan) {
	man.Objects, man.Kinds = len(p.Objects), map[string]int{}
	for _, o := range p.Objects {
		man.Kinds[o.GroupKind.String()]++
	}
}

// readManifest reads a folder's manifest; nil where it has none. One that isn't whole is refused: version is its last line, and it
// says itself how many files it names.
func readManifest(dir string) (*contents, error) {
	path := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	man := &contents{}
	if err := yaml.Unmarshal(data, man); err != nil {
		return nil, fault.Usagef("%s is damaged: %v", path, err)
	}
	switch {
	case man.Version == "":
		return nil, fault.Usagef("%s is damaged: it says no version of its format", path)
	case man.Version != backupVersion:
		return nil, fault.WithHint(fault.Usagef("%s is of format %q, this program reads %q", path, man.Version, backupVersion), "use the clusterctl that wrote it, or a newer one")
	case len(man.Files) != man.Objects:
		return nil, fault.Usagef("%s is damaged: it names %d files for %d objects", path, len(man.Files), man.Objects)
	}
	return man, nil
}
