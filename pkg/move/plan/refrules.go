// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// A form is how a field names an object.
type form int

const (
	// asMap is {name: x}, perhaps with a namespace.
	asMap form = 1 << iota
	// asText is the bare name, or "namespace/name".
	asText
	// whole says that the field's name must be the rule's; else it may also end in it ("hetznerSecretRef" is a secretRef).
	whole
	// extension is "handler.name", which Cluster API calls runtime extensions by.
	extension
)

// rule says what kind of object a field names, where the field itself doesn't say it. References that have a kind need no rule.
type rule struct {
	field string
	form  form
	// group and kind are where the field stands; empty is anywhere.
	group, kind string
	to          schema.GroupKind
}

func metal3(group, kind string) schema.GroupKind { return schema.GroupKind{Group: group, Kind: kind} }

// rules is the table of them. A rule that fits a field that means something else does no harm as long as there is no object of that name.
func rules() []rule {
	const infra, ipamMetal3, hosts = capi.GroupInfrastructure, "ipam.metal3.io", "metal3.io"
	secret, configMap := secretGK(), configMapGK()
	return []rule{
		// Kubernetes' own API: env.valueFrom.secretKeyRef, envFrom.secretRef, volumes.secret.secretName, imagePullSecrets. Providers follow it.
		{field: "secretKeyRef", form: asMap, to: secret},
		{field: "configMapKeyRef", form: asMap, to: configMap},
		{field: "configMapRef", form: asMap | asText, to: configMap},
		{field: "configMapName", form: asText, to: configMap},
		{field: "configMap", form: asMap, to: configMap},
		{field: "imagePullSecrets", form: asMap, to: secret},
		// CAPV: VSphereClusterIdentity secretName. CAPI: Machine spec.bootstrap.dataSecretName. ORC: cloudCredentialsRef.secretName.
		{field: "secretName", form: asText, to: secret},
		// CAPA: AWSClusterStaticIdentity secretRef (text since v1alpha4, a map before). Hetzner: hetznerSecretRef. KubeVirt: infraClusterSecretRef.
		{field: "secretRef", form: asMap | asText, to: secret},
		// CAPI: KubeadmConfig files[].contentFrom.secret and users[].passwdFrom.secret. CAPZ: AzureClusterIdentity clientSecret.
		// CAPO up to v1alpha5: cloudsSecret. CAPOCI: principalSecret. CAPRKE2: authSecret. CAAPH: credentials.secret. Others: userDataSecret.
		{field: "secret", form: asMap, to: secret},
		// Outscale: OscCluster credentials.fromSecret.
		{field: "fromSecret", form: asText, to: secret},
		// CAPO: identityRef with name and cloudName. (With a kind, as CAPA, CAPV and CAPZ write it, it needs no rule.)
		{field: "identityRef", form: asMap, to: secret},
		// CAPG, Proxmox, Linode: credentialsRef. Nutanix: credentialRef, with a kind in newer versions.
		{field: "credentialsRef", form: asMap, to: secret},
		{field: "credentialRef", form: asMap, to: secret},
		// CloudStack: failureDomains[].acsEndpoint.
		{field: "acsEndpoint", form: asMap | whole, to: secret},
		// Metal3: BareMetalHost bmc.credentialsName, preprovisioningNetworkDataName; userData, metaData and networkData of it and of Metal3Machine.
		{field: "credentialsName", form: asText | whole, group: hosts, to: secret},
		{field: "preprovisioningNetworkDataName", form: asText | whole, group: hosts, to: secret},
		{field: "userData", form: asMap | whole, group: hosts, to: secret},
		{field: "metaData", form: asMap | whole, group: hosts, to: secret},
		{field: "networkData", form: asMap | whole, group: hosts, to: secret},
		{field: "userData", form: asMap | whole, group: infra, to: secret},
		{field: "metaData", form: asMap | whole, group: infra, to: secret},
		{field: "networkData", form: asMap | whole, group: infra, to: secret},
		// Metal3: Metal3Machine dataTemplate; Metal3Data template and claim; Metal3DataTemplate's pools by name.
		{field: "dataTemplate", form: asMap | whole, group: infra, to: metal3(infra, "Metal3DataTemplate")},
		{field: "template", form: asMap | whole, group: infra, kind: "Metal3Data", to: metal3(infra, "Metal3DataTemplate")},
		{field: "template", form: asMap | whole, group: infra, kind: "Metal3DataClaim", to: metal3(infra, "Metal3DataTemplate")},
		{field: "claim", form: asMap | whole, group: infra, kind: "Metal3Data", to: metal3(infra, "Metal3DataClaim")},
		{field: "ipAddressFromIPPool", form: asText | whole, group: infra, to: metal3(ipamMetal3, "IPPool")},
		{field: "fromIPPool", form: asText | whole, group: infra, to: metal3(ipamMetal3, "IPPool")},
		{field: "ipAddressesFromIPPool", form: asMap | whole, group: infra, to: metal3(ipamMetal3, "IPPool")},
		// Metal3's IPAM: IPClaim pool; IPAddress pool and claim.
		{field: "pool", form: asMap | whole, group: ipamMetal3, to: metal3(ipamMetal3, "IPPool")},
		{field: "claim", form: asMap | whole, group: ipamMetal3, to: metal3(ipamMetal3, "IPClaim")},
		// CAPI's IPAM contract: IPAddress claimRef. (poolRef has a kind.)
		{field: "claimRef", form: asMap | whole, group: capi.GroupIPAM, to: schema.GroupKind{Group: capi.GroupIPAM, Kind: "IPAddressClaim"}},
		// CAPV: a Machine's failure domain is a VSphereDeploymentZone, and that names a VSphereFailureDomain.
		{field: "failureDomain", form: asText | whole, group: capi.GroupCore, to: schema.GroupKind{Group: infra, Kind: "VSphereDeploymentZone"}},
		{field: "failureDomain", form: asText | whole, group: infra, kind: "VSphereDeploymentZone", to: schema.GroupKind{Group: infra, Kind: "VSphereFailureDomain"}},
		// Tinkerbell: TinkerbellMachine hardwareName.
		{field: "hardwareName", form: asText | whole, group: infra, to: schema.GroupKind{Group: "tinkerbell.org", Kind: "Hardware"}},
		// CAPI: ClusterClass patches[].external: generateExtension, generatePatchesExtension, validateExtension, validateTopologyExtension,
		// discoverVariablesExtension.
		{field: "generateExtension", form: asText | whole | extension, group: capi.GroupCore, to: extensionConfigGK()},
		{field: "generatePatchesExtension", form: asText | whole | extension, group: capi.GroupCore, to: extensionConfigGK()},
		{field: "validateExtension", form: asText | whole | extension, group: capi.GroupCore, to: extensionConfigGK()},
		{field: "validateTopologyExtension", form: asText | whole | extension, group: capi.GroupCore, to: extensionConfigGK()},
		{field: "discoverVariablesExtension", form: asText | whole | extension, group: capi.GroupCore, to: extensionConfigGK()},
	}
}

// annotationRules are annotations that name an object, as "name" or "namespace/name".
func annotationRules() map[string]schema.GroupKind {
	return map[string]schema.GroupKind{
		"metal3.io/BareMetalHost":                   {Group: "metal3.io", Kind: "BareMetalHost"}, // Metal3: on a Metal3Machine, the host it runs on
		"serviceoperator.azure.com/credential-from": secretGK(),                                  // ASO: the credentials of a resource
	}
}

// backFields are references that say for whom an object is there: it goes where that goes.
// Source: Metal3's BareMetalHost spec.consumerRef, Cluster API's IPAddress spec.claimRef, Metal3's IPAddress spec.claim.
func backFields() []string { return []string{"consumerRef", "claimRef", "claim"} }

func extensionConfigGK() schema.GroupKind {
	return schema.GroupKind{Group: capi.GroupRuntime, Kind: "ExtensionConfig"}
}

// ruleBook finds rules by field. It remembers: of the fields of many objects few are different.
type ruleBook struct {
	all     []rule
	byField map[string][]rule
}

func newRuleBook() *ruleBook { return &ruleBook{all: rules(), byField: map[string][]rule{}} }

func (b *ruleBook) of(field string) []rule {
	found, known := b.byField[field]
	if !known {
		for _, r := range b.all {
			if field == r.field || r.form&whole == 0 && strings.HasSuffix(field, strings.ToUpper(r.field[:1])+r.field[1:]) {
				found = append(found, r)
			}
		}
		b.byField[field] = slices.Clip(found)
	}
	return found
}

func (r rule) holds(group, kind string) bool {
	return (r.group == "" || r.group == group) && (r.kind == "" || r.kind == kind)
}
