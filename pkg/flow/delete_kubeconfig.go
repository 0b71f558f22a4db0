// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
)

func (d *Delete) skipKubeconfig() string {
	if d.record == nil || d.record.Kubeconfig == "" {
		return "none was written"
	}
	return ""
}

// removeKubeconfig removes the files that still are what we wrote.
func (d *Delete) removeKubeconfig(context.Context) (string, error) {
	var outcomes []string
	for _, w := range d.record.written() {
		outcome, err := removeUnchanged(w)
		if err != nil {
			return "", err
		}
		outcomes = append(outcomes, outcome)
	}
	return strings.Join(outcomes, "; "), nil
}

func removeUnchanged(w WrittenFile) (string, error) {
	path := w.Path
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return path + " is gone", nil
	}
	if err != nil {
		return "", fmt.Errorf("remove kubeconfig: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != w.SHA256 {
		return path + " was changed since it was written: kept", nil
	}
	if err := os.Remove(path); err != nil {
		return "", fmt.Errorf("remove kubeconfig: %w", err)
	}
	return path + " removed", nil
}
