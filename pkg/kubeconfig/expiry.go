// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"time"
)

// WarnBefore is how long before the end of a credential [Kubeconfig.Warning] begins to warn.
const WarnBefore = 30 * 24 * time.Hour

// Expiry is when a credential of the current context ends.
type Expiry struct {
	// At is the last moment of validity.
	At time.Time
	// Credential says which one ends then: "client certificate" or "token".
	Credential string
	// User is the name of the user entry.
	User string
}

// Expiry returns the credential of the current context that ends first, or nil if
// none says when it ends (plugins, passwords, opaque tokens).
func (k *Kubeconfig) Expiry() *Expiry {
	user := k.user()
	var first *Expiry
	consider := func(at time.Time, ok bool, credential string) {
		if ok && (first == nil || at.Before(first.At)) {
			first = &Expiry{At: at.UTC(), Credential: credential, User: k.context().AuthInfo}
		}
	}
	at, ok := certificateEnd(user.ClientCertificateData)
	consider(at, ok, "client certificate")
	at, ok = tokenEnd(user.Token)
	consider(at, ok, "token")
	return first
}

// Warning says that a credential has ended or ends within [WarnBefore]; empty otherwise.
func (k *Kubeconfig) Warning(now time.Time) string {
	e := k.Expiry()
	if e == nil {
		return ""
	}
	left := e.At.Sub(now)
	switch {
	case left <= 0:
		return fmt.Sprintf("the %s of user %q expired %s ago (%s)", e.Credential, e.User, roughly(-left), e.At.Format(time.RFC3339))
	case left < WarnBefore:
		return fmt.Sprintf("the %s of user %q expires in %s (%s)", e.Credential, e.User, roughly(left), e.At.Format(time.RFC3339))
	}
	return ""
}

// certificateEnd reads the first certificate, which is the one that is presented.
func certificateEnd(data []byte) (time.Time, bool) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return time.Time{}, false
		}
		return certificate.NotAfter, true
	}
	return time.Time{}, false
}

// tokenEnd reads the claim exp of a JSON web token. The signature doesn't matter here.
func tokenEnd(token string) (time.Time, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}, false
	}
	var claims struct {
		Exp *float64 `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil || claims.Exp == nil {
		return time.Time{}, false
	}
	return time.Unix(int64(*claims.Exp), 0), true
}

// roughly gives a span in the one unit that matters.
func roughly(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%d days", int(d/day))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d/time.Hour))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", int(d/time.Minute))
	}
	return fmt.Sprintf("%d seconds", int(d/time.Second))
}
