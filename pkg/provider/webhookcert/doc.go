// SPDX-License-Identifier: Apache-2.0

// Package webhookcert takes cert-manager's place where components use it for the certificates of their webhooks only: a
// self-signed Issuer, a Certificate with a Secret, and annotations that have the authority's certificate injected.
//
// It knows no server: what an earlier run stored is given to it. The authority's key is never kept: it signs one
// certificate. One that is good for long enough stays as it is, so that nothing changes; a new one comes with the old
// authority still trusted, because a manager shows its old certificate until the new one has reached it.
package webhookcert
