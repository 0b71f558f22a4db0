// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ReadIdentities reads private keys: age's, one a line, or an SSH key. No error quotes what stands in the file.
func ReadIdentities(file string) ([]age.Identity, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.WithCode(fault.Usage, fmt.Errorf("--identity: %w", err))
	}
	if list, err := age.ParseIdentities(bytes.NewReader(data)); err == nil {
		return list, nil
	}
	id, err := agessh.ParseIdentity(data)
	var locked *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return []age.Identity{id}, nil
	case errors.As(err, &locked):
		return nil, fault.WithHint(fault.Usagef("--identity: %s is protected by a passphrase, which nobody is asked for here", file),
			"make a copy without one: cp KEY COPY && ssh-keygen -p -N '' -f COPY")
	case bytes.HasPrefix(data, []byte("age-encryption.org/")) || bytes.HasPrefix(data, []byte("-----BEGIN AGE ENCRYPTED FILE")):
		return nil, fault.WithHint(fault.Usagef("--identity: %s is encrypted itself", file), "decrypt it first: age -d %s > key.txt", file)
	}
	return nil, fault.WithHint(fault.Usagef("--identity: %s holds no private key of age or SSH (ed25519, rsa)", file), "a public key encrypts; what decrypts is AGE-SECRET-KEY-1… or the SSH file without .pub")
}

// Decrypt opens what kubeconfig.Encrypt sealed.
func Decrypt(data []byte, identities []age.Identity) ([]byte, error) {
	r, err := age.Decrypt(armor.NewReader(bytes.NewReader(data)), identities...)
	var none *age.NoIdentityMatchError
	switch {
	case errors.As(err, &none):
		return nil, fault.WithHint(errors.New("is encrypted for another key"), "--identity has to be the private key of one that was named with --encrypt-to")
	case err != nil:
		return nil, fmt.Errorf("decrypt: %w", err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("decrypt: %w", err)
	}
	return out, nil
}
