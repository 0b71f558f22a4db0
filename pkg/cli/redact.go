// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"regexp"
	"strings"
	"sync"
)

// redacted stands where a secret was.
const redacted = "REDACTED"

// secretWords are parts of the names of values that are never shown. "body" is the content of requests and
// answers: Secrets, and objects with keys and passwords in them, are among them.
func secretWords() []string {
	return []string{"authorization", "password", "passwd", "secret", "token", "credential", "cookie", "privatekey", "keydata", "body"}
}

// secretKey says whether a value with this name must not be shown.
func secretKey(key string) bool {
	key = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(key))
	for _, word := range secretWords() {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// secretPatterns find secrets inside of texts. The first group, if any, stays.
var secretPatterns = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		// an Authorization header or what is in it
		regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{4,}`),
		// cookies
		regexp.MustCompile(`(?i)(\b(?:set-)?cookie["']?\s*[:=]\s*)[^\n]+`),
		// a JSON web token
		regexp.MustCompile(`()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`),
		// a kubeadm bootstrap token
		regexp.MustCompile(`()\b[a-z0-9]{6}\.[a-z0-9]{16}\b`),
		// private keys
		regexp.MustCompile(`(?s)()-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`),
		regexp.MustCompile(`()AGE-SECRET-KEY-1[A-Z0-9]+`),
		// name: value and name=value, as in kubeconfigs and Secrets
		regexp.MustCompile(`(?i)((?:token|password|passwd|client-key-data|certificate-key|secret-access-key|session-token)["']?\s*[:=]\s*["']?)[^\s"',;&]{3,}`),
		// user:password in an address
		regexp.MustCompile(`(://[^/\s:@]+:)[^/\s@]+(?:@)`),
	}
})

// redactText takes what looks like a secret out of a text.
func redactText(s string) string {
	if len(s) < 8 {
		return s
	}
	for _, p := range secretPatterns() {
		s = p.ReplaceAllString(s, "${1}"+redacted)
	}
	return s
}
