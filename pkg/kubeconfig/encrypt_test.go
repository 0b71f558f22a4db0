// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func sshLine(t *testing.T, key any) string {
	t.Helper()
	public, err := ssh.NewPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public))) + " me@home"
}

func TestEncrypt(t *testing.T) {
	t.Parallel()
	x, _ := age.GenerateX25519Identity()
	second, _ := age.GenerateX25519Identity()
	hybrid, _ := age.GenerateHybridIdentity()
	edPublic, edKey, _ := ed25519.GenerateKey(rand.Reader)
	ed, err := agessh.NewEd25519Identity(edKey)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	rs, err := agessh.NewRSAIdentity(rsaKey)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "team keys")
	write(t, file, "# the team\r\n\r\n"+x.Recipient().String()+"\r\n  "+sshLine(t, edPublic)+"\n"+`from="10.0.0.0/8" `+sshLine(t, &rsaKey.PublicKey), 0o644)
	tests := []struct {
		name    string
		specs   []string
		readers []age.Identity
	}{
		{"age key", []string{x.Recipient().String()}, []age.Identity{x}},
		{"with blanks around", []string{" " + x.Recipient().String() + "\n"}, []age.Identity{x}},
		{"several", []string{x.Recipient().String(), second.Recipient().String()}, []age.Identity{x, second}},
		{"post-quantum", []string{hybrid.Recipient().String()}, []age.Identity{hybrid}},
		{"ssh-ed25519", []string{sshLine(t, edPublic)}, []age.Identity{ed}},
		{"ssh-rsa", []string{sshLine(t, &rsaKey.PublicKey)}, []age.Identity{rs}},
		{"a file", []string{file}, []age.Identity{x, ed, rs}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			recipients, err := Recipients(tt.specs)
			if err != nil {
				t.Fatal(err)
			}
			text, err := Encrypt([]byte("s3cret"), recipients)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("s3cret")) || !bytes.HasPrefix(text, []byte(armor.Header)) || !bytes.HasSuffix(text, []byte("-----\n")) {
				t.Errorf("not armored: %s", text)
			}
			for i, reader := range tt.readers {
				plain, err := age.Decrypt(armor.NewReader(bytes.NewReader(text)), reader)
				if err != nil {
					t.Fatalf("reader %d: %v", i, err)
				}
				if got, _ := io.ReadAll(plain); string(got) != "s3cret" {
					t.Errorf("reader %d: got %q", i, got)
				}
			}
		})
	}
}

func TestRecipientsRefuses(t *testing.T) {
	t.Parallel()
	x, _ := age.GenerateX25519Identity()
	hybrid, _ := age.GenerateHybridIdentity()
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	dir := t.TempDir()
	file := func(name, text string) string {
		write(t, filepath.Join(dir, name), text, 0o600)
		return filepath.Join(dir, name)
	}
	good := x.Recipient().String()
	tests := []struct{ name, spec, says, hides string }{
		{"empty", " ", "empty", ""},
		{"cut off", good[:40], good[:40], ""},
		{"a letter changed", good[:20] + "b" + good[21:] + "q", "not a valid age public key", ""},
		{"a secret key", x.String(), "secret key", x.String()},
		{"a secret key in small letters", strings.ToLower(x.String()), "secret key", strings.ToLower(x.String())},
		{"a private SSH key", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc", "secret key", "abc"},
		{"ECDSA", sshLine(t, &ec.PublicKey), "age can encrypt to", ""},
		{"broken SSH key", "ssh-ed25519 AAAA", "ssh-ed25519 AAAA", ""},
		{"no such file", filepath.Join(dir, "nobody"), "nor a file", ""},
		{"a directory", dir, "recipients file", ""},
		{"an empty file", file("empty", "# nobody\n"), "holds no public key", ""},
		{"a bad line", file("bad", good+"\n\n"+"s3cret\n"), "bad:3", "s3cret"},
		{"a file with a secret key", file("key", "# created\n"+x.String()+"\n"), "key:2: holds a secret key", x.String()},
		{"a private SSH key file", file("id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n"), "id_ed25519:1: holds a secret key", "abc"},
		{"a huge file", file("huge", strings.Repeat("#\n", recipientsLimit)), "larger than", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Recipients([]string{good, tt.spec})
			if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v (code %d), want %q", err, fault.CodeOf(err), tt.says)
			}
			if tt.hides != "" && strings.Contains(err.Error(), tt.hides) {
				t.Errorf("%q tells the secret", err)
			}
		})
	}
	mixed, err := Recipients([]string{good, hybrid.Recipient().String()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Encrypt([]byte("x"), mixed); fault.CodeOf(err) != fault.Usage {
		t.Errorf("mixed: got %v", err)
	}
	if _, err := Encrypt([]byte("x"), nil); fault.CodeOf(err) != fault.Usage {
		t.Errorf("nobody: got %v", err)
	}
}
