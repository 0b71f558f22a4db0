// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/naming"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// Inputs say where a cluster comes from. They are kept in the run record, so they hold paths and names, never values of variables.
type Inputs struct {
	// Infrastructure, Core, BootstrapProviders, … are providers as NAME or NAME:VERSION; "-" means: none of this type.
	Infrastructure     string   `json:"infrastructure,omitempty"`
	Core               string   `json:"core,omitempty"`
	BootstrapProviders []string `json:"bootstrapProviders,omitempty"`
	ControlPlanes      []string `json:"controlPlanes,omitempty"`
	IPAMs              []string `json:"ipams,omitempty"`
	RuntimeExtensions  []string `json:"runtimeExtensions,omitempty"`
	Addons             []string `json:"addonProviders,omitempty"`

	// WebhookCerts says where the certificates of the providers' webhooks come from; empty is auto.
	WebhookCerts provider.WebhookCerts `json:"webhookCerts,omitempty"`

	// Flavor is the flavor of the infrastructure provider's cluster template; empty is the default one.
	Flavor string `json:"flavor,omitempty"`
	// KubernetesVersion is the workload cluster's version, for the template.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	// ControlPlaneMachineCount and WorkerMachineCount are for the template; nil means the template's own default.
	ControlPlaneMachineCount *int64 `json:"controlPlaneMachineCount,omitempty"`
	WorkerMachineCount       *int64 `json:"workerMachineCount,omitempty"`

	// Files are files, folders, URLs or "-" that hold the cluster's objects.
	Files []string `json:"files,omitempty"`

	// ClusterFile, MachinesFile, ProviderComponents and BootstrapOnlyComponents are the first clusterctl's inputs.
	ClusterFile             string `json:"clusterFile,omitempty"`
	MachinesFile            string `json:"machinesFile,omitempty"`
	ProviderComponents      string `json:"providerComponents,omitempty"`
	BootstrapOnlyComponents string `json:"bootstrapOnlyComponents,omitempty"`

	// Backup is a folder that "move --to-directory" wrote, or a move's snapshot.
	Backup string `json:"backup,omitempty"`

	// AddonFiles are applied to the workload cluster once its API answers.
	AddonFiles []string `json:"addonFiles,omitempty"`
	// Pivot says whether the cluster's objects move into the cluster itself; nil means: where that is possible and the bootstrap
	// cluster is ours.
	Pivot *bool `json:"pivot,omitempty"`
	// KeepBootstrap leaves the bootstrap cluster where it is after the pivot.
	KeepBootstrap bool `json:"keepBootstrap,omitempty"`
	// KeepProviders leaves on an existing cluster what is installed there, when the cluster's objects are gone from it.
	KeepProviders bool `json:"keepProviders,omitempty"`
	// KubeconfigOut is where the workload cluster's kubeconfig is written; empty is NAME.kubeconfig in the working directory.
	KubeconfigOut string `json:"kubeconfigOut,omitempty"`
}

// Mode says in which of the three ways a cluster is described.
type Mode string

// The modes.
const (
	// FromTemplate renders the infrastructure provider's cluster template.
	FromTemplate Mode = "template"
	// FromFiles takes the objects from files, folders, URLs or standard input.
	FromFiles Mode = "files"
	// FromLegacy takes the files of the first clusterctl: cluster, machines, provider components.
	FromLegacy Mode = "legacy"
	// FromBackup restores the objects of a backup.
	FromBackup Mode = "backup"
)

// Empty says whether nothing describes a cluster, so that the record's inputs are to be used.
func (in Inputs) Empty() bool {
	in.KubeconfigOut, in.WebhookCerts, in.Pivot, in.KeepBootstrap, in.KeepProviders = "", "", nil, false, false
	return reflect.DeepEqual(in, Inputs{})
}

// Mode returns the way in which the cluster is described. It returns an error of class Usage if there is none, or more than one.
func (in Inputs) Mode() (Mode, error) {
	var modes []Mode
	if len(in.Files) > 0 {
		modes = append(modes, FromFiles)
	}
	if in.ClusterFile != "" || in.MachinesFile != "" {
		modes = append(modes, FromLegacy)
	}
	if in.Backup != "" {
		modes = append(modes, FromBackup)
	}
	if in.Flavor != "" || in.ControlPlaneMachineCount != nil || in.WorkerMachineCount != nil || (len(modes) == 0 && in.hasInfrastructure()) {
		modes = append(modes, FromTemplate)
	}
	switch {
	case len(modes) == 1:
		return modes[0], nil
	case len(modes) == 0:
		return "", fault.WithHint(fault.Usagef("nothing says what the cluster looks like"),
			"name an infrastructure provider (--infrastructure docker), give files (--filename cluster.yaml), the first clusterctl's files (--cluster, --machines), or a backup (--from-backup FOLDER)")
	}
	return "", fault.WithHint(fault.Usagef("the cluster is described in %d ways at once: %s", len(modes), joinModes(modes)),
		"use one of: --infrastructure with --flavor and machine counts, --filename, --cluster with --machines, or --from-backup")
}

func joinModes(modes []Mode) string {
	parts := make([]string, len(modes))
	for i, m := range modes {
		parts[i] = string(m)
	}
	return strings.Join(parts, ", ")
}

func (in Inputs) hasInfrastructure() bool {
	return in.Infrastructure != "" && in.Infrastructure != "-"
}

var versionPattern = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+][0-9A-Za-z.+-]+)?$`)

// Validate checks everything that can be checked without reading or asking anything. All faults come at once.
func (in Inputs) Validate() error {
	var faults fault.List
	faults.Add(in.validateMode())
	faults.Add(in.ValidateValues())
	return faults.Err()
}

func (in Inputs) validateMode() error {
	var faults fault.List
	mode, err := in.Mode()
	faults.Add(err)
	if mode == FromTemplate && !in.hasInfrastructure() {
		faults.Add(fault.Usagef("a cluster from a template needs --infrastructure"))
	}
	if mode == FromLegacy && (in.ClusterFile == "" || in.MachinesFile == "") {
		faults.Add(fault.Usagef("--cluster and --machines belong together: both files are needed"))
	}
	return faults.Err()
}

// ValidateValues checks each value by itself, for flags that are to be laid over those of an earlier run.
func (in Inputs) ValidateValues() error {
	var faults fault.List
	if v := in.KubernetesVersion; v != "" && !versionPattern.MatchString(v) {
		faults.Add(fault.WithHint(fault.Usagef("--kubernetes-version %q is not a version", v), "write it as v1.34.4"))
	}
	if n := in.ControlPlaneMachineCount; n != nil && *n < 1 {
		faults.Add(fault.Usagef("--control-plane-machine-count %d: a cluster needs at least 1", *n))
	}
	if n := in.WorkerMachineCount; n != nil && *n < 0 {
		faults.Add(fault.Usagef("--worker-machine-count %d is negative", *n))
	}
	for _, n := range []*int64{in.ControlPlaneMachineCount, in.WorkerMachineCount} {
		if n != nil && *n > math.MaxInt32 { // Cluster API's fields have no room for more.
			faults.Add(fault.Usagef("%d machines: at most %d are possible", *n, math.MaxInt32))
		}
	}
	faults.Add(in.validateStdin())
	return faults.Err()
}

// validateStdin refuses to read standard input twice: the second reader would get nothing.
func (in Inputs) validateStdin() error {
	if n := in.stdin(); n > 1 {
		return fault.Usagef("standard input (-) can be read only once, it is named %d times", n)
	}
	return nil
}

// absolute makes the paths independent of the working directory, for the record.
func (in Inputs) absolute() (Inputs, error) {
	var errs []error
	abs := func(p string) string {
		if p == "" || p == "-" || isURL(p) {
			return p
		}
		a, err := filepath.Abs(p)
		if err != nil {
			errs = append(errs, err)
		}
		return a
	}
	all := func(ps []string) []string {
		var out []string
		for _, p := range ps {
			out = append(out, abs(p))
		}
		return out
	}
	in.Files, in.AddonFiles = all(in.Files), all(in.AddonFiles)
	in.ClusterFile, in.MachinesFile = abs(in.ClusterFile), abs(in.MachinesFile)
	in.ProviderComponents, in.BootstrapOnlyComponents = abs(in.ProviderComponents), abs(in.BootstrapOnlyComponents)
	in.KubeconfigOut, in.Backup = abs(in.KubeconfigOut), abs(in.Backup)
	return in, errors.Join(errs...)
}

// isURL also says so of what can't be read later: the message is to show it as it was given.
func isURL(p string) bool { return strings.Contains(p, "://") }

// validateName checks a Cluster's name and namespace.
func validateName(namespace, name string) error {
	var faults fault.List
	// A Cluster's name becomes part of label values and of DNS names: the stricter rule of both.
	faults.Add(naming.Label("cluster name", name))
	if namespace != "" {
		faults.Add(naming.Label("namespace", namespace))
	}
	return faults.Err()
}
