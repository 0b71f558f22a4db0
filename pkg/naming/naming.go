// SPDX-License-Identifier: Apache-2.0

// Package naming checks names that people give, and says in plain words what is wrong with them.
package naming

import (
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Label returns an error of class fault.Usage unless the name is a DNS label (RFC 1123), as names of namespaces are. What says what it is
// the name of.
func Label(what, name string) error {
	if len(validation.IsDNS1123Label(name)) == 0 {
		return nil
	}
	return fault.Usagef("%s %s: lower-case letters, digits and \"-\" are possible, a letter or digit first and last, %d characters at most",
		what, quoted(name), validation.DNS1123LabelMaxLength)
}

// Subdomain is Label for what may have several labels with dots between them, as names of most objects are.
func Subdomain(what, name string) error {
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return nil
	}
	return fault.Usagef("%s %s: lower-case letters, digits, \"-\" and \".\" are possible, a letter or digit first and last and beside each dot, %d characters at most",
		what, quoted(name), validation.DNS1123SubdomainMaxLength)
}
