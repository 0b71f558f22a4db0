// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// recipientsLimit is far above any list of people, and far below what hurts to read.
const recipientsLimit = 1 << 20

// Recipients reads whom to encrypt to. Each spec is a public key (age1…, ssh-ed25519 …
// or ssh-rsa …) or the path of a file with one per line, as age -R and authorized_keys
// have them. Errors are of class Usage and name the spec, or the file and line, but
// nothing that may be a secret key.
func Recipients(specs []string) ([]age.Recipient, error) {
	var out []age.Recipient
	for _, spec := range specs {
		spec = strings.TrimSpace(spec)
		more, err := recipientsOf(spec)
		if err != nil {
			return nil, fault.WithCode(fault.Usage, err)
		}
		out = append(out, more...)
	}
	return out, nil
}

func recipientsOf(spec string) ([]age.Recipient, error) {
	switch {
	case spec == "":
		return nil, errors.New("recipient: empty")
	case looksSecret(spec):
		return nil, fault.WithHint(errors.New("recipient: that is a secret key"), "encrypting takes the public key: age1… or ssh-ed25519 …")
	case looksPublic(spec):
		one, err := parseRecipient(spec)
		if err != nil {
			return nil, fmt.Errorf("recipient %q: %w", spec, err)
		}
		return []age.Recipient{one}, nil
	}
	return recipientsFile(spec)
}

// looksPublic tells a public key from the name of a file: an age key has no punctuation, an SSH key has a blank.
func looksPublic(s string) bool {
	if strings.HasPrefix(s, "age1") {
		return !strings.ContainsAny(s, "./\\-_ ")
	}
	kind, _, blank := strings.Cut(s, " ")
	return blank && !strings.ContainsAny(kind, "/\\") && (strings.HasPrefix(s, "ssh-") || strings.HasPrefix(s, "ecdsa-") || strings.HasPrefix(s, "sk-"))
}

func looksSecret(s string) bool {
	return strings.Contains(strings.ToUpper(s), "AGE-SECRET-KEY-") || strings.Contains(s, "PRIVATE KEY-----")
}

// parseRecipient doesn't pass on what the libraries say: they quote the line.
func parseRecipient(line string) (age.Recipient, error) {
	switch {
	case strings.HasPrefix(line, "age1pq1"):
		if r, err := age.ParseHybridRecipient(line); err == nil {
			return r, nil
		}
		return nil, errors.New("not a valid age public key, is it complete?")
	case strings.HasPrefix(line, "age1"):
		if r, err := age.ParseX25519Recipient(line); err == nil {
			return r, nil
		}
		return nil, errors.New("not a valid age public key, is it complete?")
	}
	if r, err := agessh.ParseRecipient(line); err == nil {
		return r, nil
	}
	return nil, errors.New("not a public key that age can encrypt to (age1…, ssh-ed25519, ssh-rsa of 2048 bits or more)")
}

func recipientsFile(path string) ([]age.Recipient, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("recipient %q: neither a public key (age1…, ssh-ed25519 …, ssh-rsa …) nor a file", path)
		}
		return nil, fmt.Errorf("recipients file: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, recipientsLimit+1))
	if err != nil {
		return nil, fmt.Errorf("recipients file: %w", err)
	}
	if len(data) > recipientsLimit {
		return nil, fmt.Errorf("recipients file %s: larger than %d bytes", path, recipientsLimit)
	}
	var out []age.Recipient
	for i, line := range bytes.Split(data, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if looksSecret(text) {
			return nil, fault.WithHint(fmt.Errorf("recipients file %s:%d: holds a secret key", path, i+1), "encrypting takes the public key, for SSH the file that ends in .pub")
		}
		one, err := parseRecipient(text)
		if err != nil {
			return nil, fmt.Errorf("recipients file %s:%d: %w", path, i+1, err)
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("recipients file %s: holds no public key", path)
	}
	return out, nil
}
