// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// regexpComment takes the comment marks off the settings of the example: lines such as "# key: value" and "#   - name: x".
var regexpComment = regexp.MustCompile(`(?m)^# ((?:  |- )*[A-Za-z/_-]+:(?: .*)?|  - name: .*)$`)

var deleteNow = metav1.DeleteOptions{}

func encode64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// write makes a file in a folder and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// tree writes files under a new folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
