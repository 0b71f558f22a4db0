// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// manifestName is the file that makes a folder a whole backup: it is written last.
const manifestName = "clusterctl-backup.yaml"

const backupVersion = "v1"

// manifest says what a backup holds.
type manifest struct {
	Version string    `json:"version"`
	Made    time.Time `json:"made"`
	Source  Side      `json:"source"`
	Scope   string    `json:"scope"`
	// Files are the sums (SHA-256, in hex) of the files, by name.
	Files map[string]string `json:"files"`
	// Namespaces are those of the objects, with labels and annotations.
	Namespaces map[string]namespaceMeta `json:"namespaces,omitempty"`
}

type namespaceMeta struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// BackupOptions say what is written where. Source, Scope and Dir are needed.
type BackupOptions struct {
	Source *kube.Client
	Scope  plan.Scope
	// Dir is the folder: one that isn't there, an empty one, or an earlier backup, which is replaced.
	Dir string
	// Encrypt encrypts the Secrets' files; nil leaves them as they are, readable by their owner only.
	Encrypt func([]byte) ([]byte, error)
	// Sink hears how it goes; nil is allowed.
	Sink event.Sink
}

// Backup writes what Cluster API manages into a folder, a file an object, and changes nothing on the cluster: it goes on running. The
// folder is there as a whole or not at all.
func Backup(ctx context.Context, o BackupOptions) (*Report, error) {
	began := time.Now()
	before := o.Source.Requests()
	if err := checkBackupDir(o.Dir); err != nil {
		return nil, err
	}
	uid, err := o.Source.UID(ctx)
	if err != nil {
		return nil, err
	}
	event.Startf(o.Sink, "backup", "Write the objects to %s", o.Dir)
	p, err := plan.Build(ctx, o.Source, o.Scope, plan.Options{Sink: o.Sink})
	if err != nil {
		event.Failf(o.Sink, "backup", "%v", err)
		return nil, err
	}
	for _, w := range p.Warnings {
		event.Warnf(o.Sink, "%s", w)
	}
	namespaces, err := (&mover{}).namespacesOf(ctx, o.Source)
	if err != nil {
		return nil, err
	}
	man := manifest{Version: backupVersion, Made: time.Now().UTC().Truncate(time.Second), Source: Side{uid, o.Source.Host()}, Scope: scopeText(o.Scope), Files: map[string]string{}, Namespaces: map[string]namespaceMeta{}}
	for _, ns := range p.Namespaces {
		if u := namespaces[ns]; u != nil {
			man.Namespaces[ns] = namespaceMeta{u.GetLabels(), u.GetAnnotations()}
		}
	}
	if err := writeBackup(ctx, o, p, man); err != nil {
		event.Failf(o.Sink, "backup", "%v", err)
		return nil, fmt.Errorf("write backup %s: %w", o.Dir, err)
	}
	event.Donef(o.Sink, "backup", "%d objects", len(p.Objects))
	r := &Report{Objects: len(p.Objects), Kinds: p.Summary(), Left: p.Left, Directory: o.Dir, Took: time.Since(began)}
	r.Requests.Source = o.Source.Requests().Sub(before)
	return r, nil
}

// checkBackupDir wants a folder that may be replaced.
func checkBackupDir(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.WithCode(fault.Usage, err)
	case len(entries) == 0:
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err != nil {
		return fault.WithHint(fault.Usagef("the folder %s isn't empty, and isn't a backup", dir), "name another folder, or empty it")
	}
	return nil
}

// writeBackup writes next to the folder, and takes its place at the end.
func writeBackup(ctx context.Context, o BackupOptions, p *plan.Plan, man manifest) error {
	dir := filepath.Clean(o.Dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".part-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(part) }()
	for _, obj := range p.Objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, data, err := backupFile(obj, o.Encrypt)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(part, name), data, 0o600); err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		man.Files[name] = hex.EncodeToString(sum[:])
	}
	data, err := yaml.Marshal(man)
	if err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(part, manifestName), data); err != nil {
		return err
	}
	return replaceDir(part, dir)
}

// backupFile is an object's file. Its name has all that identifies the object: kinds of one name in two groups don't overwrite each other.
func backupFile(o *plan.Object, encrypt func([]byte) ([]byte, error)) (string, []byte, error) {
	data, err := yaml.Marshal(o.Source.Object)
	if err != nil {
		return "", nil, err
	}
	name := strings.Join([]string{o.Kind, o.Group, o.Namespace, o.Name}, "_") + ".yaml"
	if encrypt != nil && o.Kind == "Secret" && o.Group == "" {
		if data, err = encrypt(data); err != nil {
			return "", nil, fmt.Errorf("encrypt %s: %w", o.Key, err)
		}
		name += ".age"
	}
	return strings.ReplaceAll(name, ":", "%3A"), data, nil
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replaceDir puts a finished folder in the place of an older one, which goes last.
func replaceDir(part, dir string) error {
	old := part + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(part, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// asObject decodes a file's document.
func asObject(data []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &u.Object); err != nil {
		return nil, err
	}
	if u.GetKind() == "" || u.GetAPIVersion() == "" || u.GetName() == "" {
		return nil, errors.New("isn't an object: apiVersion, kind or metadata.name is missing")
	}
	return u, nil
}
