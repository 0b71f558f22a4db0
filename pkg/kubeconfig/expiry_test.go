// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

func jwt(exp time.Time) string {
	payload := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"iss":"x","exp":%d}`, exp.Unix()))
	return "e30." + payload + ".sig"
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	cert := func(left time.Duration) string {
		return "    client-certificate-data: " + b64(certificate(t, now.Add(left))) + "\n"
	}
	token := func(s string) string { return "    token: " + s + "\n" }
	tests := []struct {
		name, user string
		credential string
		left       time.Duration
		warning    string
	}{
		{"no credential", "    username: a\n", "", 0, ""},
		{"opaque token", token("abc"), "", 0, ""},
		{"token with two dots that is none", token("a.b.c"), "", 0, ""},
		{"token without an end", token("e30.e30.sig"), "", 0, ""},
		{"certificate for a year", cert(365 * day), "client certificate", 365 * day, ""},
		{"certificate, just enough", cert(30 * day), "client certificate", 30 * day, ""},
		{"certificate, 29 days", cert(29 * day), "client certificate", 29 * day, `client certificate of user "demo-admin" expires in 29 days`},
		{"certificate, hours", cert(5 * time.Hour), "client certificate", 5 * time.Hour, "expires in 5 hours"},
		{"certificate, minutes", cert(15 * time.Minute), "client certificate", 15 * time.Minute, "expires in 15 minutes"},
		{"certificate, this moment", cert(0), "client certificate", 0, "expired 0 seconds ago"},
		{"certificate, gone", cert(-3 * day), "client certificate", -3 * day, "expired 3 days ago (2026-11-28T12:00:00Z)"},
		{"not a certificate", "    client-certificate-data: " + b64([]byte("nonsense")) + "\n", "", 0, ""},
		{"JSON web token", token(jwt(now.Add(10 * day))), "token", 10 * day, "token of user \"demo-admin\" expires in 10 days"},
		{"both, token first", cert(60*day) + token(jwt(now.Add(time.Hour))), "token", time.Hour, "token of user"},
		{"both, certificate first", cert(day*2) + token(jwt(now.Add(60*day))), "client certificate", 2 * day, "expires in 2 days"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := mustParse(t, withUser(tt.user))
			e := k.Expiry()
			if (e == nil) != (tt.credential == "") {
				t.Fatalf("got %+v, want %q", e, tt.credential)
			}
			if e != nil && (e.Credential != tt.credential || e.At.Sub(now) != tt.left || e.User != "demo-admin") {
				t.Errorf("got %+v (%s left), want %q with %s left", e, e.At.Sub(now), tt.credential, tt.left)
			}
			w := k.Warning(now)
			if (w == "") != (tt.warning == "") || !strings.Contains(w, tt.warning) {
				t.Errorf("warning %q, want %q", w, tt.warning)
			}
		})
	}
}
