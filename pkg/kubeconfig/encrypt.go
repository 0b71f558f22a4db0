// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"fmt"
	"io"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Encrypt encrypts data to the recipients in the age format, always armored: the
// result is text that goes through terminals, mails and Git. `age -d -i KEY` reads it.
func Encrypt(data []byte, recipients []age.Recipient) ([]byte, error) {
	if len(recipients) == 0 {
		return nil, fault.Usagef("encrypt kubeconfig: no recipients")
	}
	var out bytes.Buffer
	text := armor.NewWriter(&out)
	sealed, err := age.Encrypt(text, recipients...)
	if err != nil {
		return nil, fault.WithHint(fault.WithCode(fault.Usage, fmt.Errorf("encrypt kubeconfig: %w", err)),
			"post-quantum recipients (age1pq1…) can't be mixed with others")
	}
	for _, step := range []func() error{
		func() error { _, err := io.Copy(sealed, bytes.NewReader(data)); return err },
		sealed.Close,
		text.Close,
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("encrypt kubeconfig: %w", err)
		}
	}
	return out.Bytes(), nil
}
