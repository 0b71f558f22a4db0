// SPDX-License-Identifier: Apache-2.0

package get

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const kubeconfigText = `apiVersion: v1
kind: Config
clusters:
- name: heron
  cluster:
    server: https://heron.example:6443
users:
- name: heron-admin
  user:
    token: s3cret
contexts:
- name: heron-admin@heron
  context:
    cluster: heron
    user: heron-admin
current-context: heron-admin@heron
`

const clusterCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.cluster.x-k8s.io}
spec:
  group: cluster.x-k8s.io
  names: {kind: Cluster, listKind: ClusterList, plural: clusters, singular: cluster}
  scope: Namespaced
  versions:
  - {name: v1beta2, served: true, storage: true, deprecated: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

func clusterWith(name, text string) string {
	return fmt.Sprintf(`---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: %[1]s, namespace: team-a}
---
apiVersion: v1
kind: Secret
metadata: {name: %[1]s-kubeconfig, namespace: team-a}
data: {value: %[2]s}
`, name, base64.StdEncoding.EncodeToString([]byte(text)))
}

// endsIn is the kubeconfig with a client certificate that ends then.
func endsIn(t *testing.T, left time.Duration) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(left)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return strings.Replace(kubeconfigText, "token: s3cret", "client-certificate-data: "+data, 1)
}

// person is somebody with a home directory who types commands.
type person struct {
	t    *testing.T
	home string
	env  map[string]string
}

func newPerson(t *testing.T, kubeconfig string) *person {
	t.Helper()
	home := t.TempDir()
	return &person{t: t, home: home, env: map[string]string{"HOME": home, "KUBECONFIG": kubeconfig}}
}

// run types `get kubeconfig ARGS` with the management cluster's kubeconfig given.
func (p *person) run(args ...string) (stdout, stderr string, err error) {
	p.t.Helper()
	var out, errOut bytes.Buffer
	f := cmdutil.NewFactory(ui.Streams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}, func(name string) (string, bool) {
		value, ok := p.env[name]
		return value, ok
	})
	cmd := newKubeconfig(f)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(p.t.Context())
	f.Close()
	f.View().Close()
	return out.String(), errOut.String(), err
}

func TestKubeconfig(t *testing.T) {
	t.Parallel()
	env := testenv.Start(t)
	env.Seed(t, clusterCRD,
		clusterWith("heron", kubeconfigText), clusterWith("old", endsIn(t, 5*24*time.Hour+time.Minute)), clusterWith("young", endsIn(t, 100*24*time.Hour)),
		"apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: early, namespace: team-a}\n")
	for name, test := range map[string]func(*testing.T, *person){
		"stdout": kubeconfigToStdout, "file": kubeconfigToFile, "merge": kubeconfigMerged, "encrypted": kubeconfigEncrypted, "failing": kubeconfigFailing,
	} {
		t.Run(name, func(t *testing.T) { test(t, newPerson(t, env.Kubeconfig)) })
	}
}

func kubeconfigToStdout(t *testing.T, p *person) {
	out, errOut, err := p.run("heron", "-n", "team-a")
	if err != nil || out != kubeconfigText || errOut != "" {
		t.Errorf("got %v, %q, stderr %q", err, out, errOut)
	}
	out, errOut, err = p.run("old", "-n", "team-a", "--output", "-")
	if err != nil || strings.Contains(out, "expires") || !strings.Contains(errOut, `the client certificate of user "heron-admin" expires in 5 days`) {
		t.Errorf("old: %v, %q, stderr %q", err, out, errOut)
	}
	out, errOut, err = p.run("heron", "-n", "team-a", "--server", "[::1]:1", "--context-name", "h")
	for _, want := range []string{"server: https://[::1]:1\n", "tls-server-name: heron.example\n", "current-context: h\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	if err != nil || errOut != "" {
		t.Errorf("rewritten: %v, stderr %q", err, errOut)
	}
	if out, errOut, err = p.run("heron", "-n", "team-a", "--wait"); err != nil || out != kubeconfigText || !strings.Contains(errOut, "team-a/heron") {
		t.Errorf("wait: %v, %q, stderr %q", err, out, errOut)
	}
}

func kubeconfigToFile(t *testing.T, p *person) {
	path := filepath.Join(p.home, "young.kubeconfig")
	out, errOut, err := p.run("young", "-n", "team-a", "-o", path)
	if err != nil || out != "" || !strings.Contains(errOut, "written to "+path) || !strings.Contains(errOut, "The client certificate is good until 20") {
		t.Errorf("got %v, %q, stderr %q", err, out, errOut)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func kubeconfigMerged(t *testing.T, p *person) {
	config := p.env["KUBECONFIG"]
	mine := filepath.Join(p.home, "mine")
	p.env["KUBECONFIG"] = mine // one file that doesn't exist, as target; the management cluster by flag
	args := func(more ...string) []string {
		return append([]string{"heron", "-n", "team-a", "--kubeconfig", config, "--merge"}, more...)
	}
	steps := []struct {
		args []string
		code fault.Code
		says string
	}{
		{args(), 0, `Context "heron-admin@heron" is in ` + mine + " now"},
		{args(), 0, "nothing changed"},
		{args("--server", "127.0.0.1:1"), fault.Refused, ""},
		{args("--server", "127.0.0.1:1", "--force"), 0, "the file as it was is " + mine + ".bak-"},
		{args("--context-name", "h", "--set-current"), 0, `Context "h" is in ` + mine + " now"},
	}
	for i, step := range steps {
		out, errOut, err := p.run(step.args...)
		if fault.CodeOf(err) != step.code || out != "" || !strings.Contains(errOut, step.says) {
			t.Errorf("step %d: %v, %q, stderr %q", i, err, out, errOut)
		}
	}
	data, err := os.ReadFile(mine)
	if text := string(data); err != nil || !strings.Contains(text, "current-context: h\n") || !strings.Contains(text, "name: heron-admin@heron") {
		t.Errorf("%v: %s", err, text)
	}
	p.env["KUBECONFIG"] = ""
	if _, errOut, err := p.run(args()...); err != nil || !strings.Contains(errOut, filepath.Join(p.home, ".kube", "config")) {
		t.Errorf("home: %v, stderr %q", err, errOut)
	}
	if _, errOut, err := p.run(args("--output", filepath.Join(p.home, "named"))...); err != nil || !strings.Contains(errOut, "named now") {
		t.Errorf("named: %v, stderr %q", err, errOut)
	}
}

func kubeconfigEncrypted(t *testing.T, p *person) {
	me, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := p.run("heron", "-n", "team-a", "--encrypt-to", me.Recipient().String())
	if err != nil {
		t.Fatal(err)
	}
	plain, err := age.Decrypt(armor.NewReader(strings.NewReader(out)), me)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(plain); err != nil || string(text) != kubeconfigText {
		t.Errorf("%v: %s", err, text)
	}
}

func kubeconfigFailing(t *testing.T, p *person) {
	tests := []struct {
		args []string
		code fault.Code
		says string
		hint string
	}{
		{[]string{}, fault.Usage, "needs one NAME", ""},
		{[]string{"a", "b"}, fault.Usage, "got 2", ""},
		{[]string{"heron", "-n", "team-a", "--set-current"}, fault.Usage, "--merge only", ""},
		{[]string{"heron", "-n", "team-a", "--force"}, fault.Usage, "--merge only", ""},
		{[]string{"heron", "-n", "team-a", "--merge", "-o", "-"}, fault.Usage, "needs a file", ""},
		{[]string{"heron", "-n", "team-a", "--merge", "--encrypt-to", "x"}, fault.Usage, "exclude each other", ""},
		{[]string{"heron", "-n", "team-a", "--context-name", ""}, fault.Usage, "is empty", ""},
		{[]string{"heron", "-n", "team-a", "--server", ""}, fault.Usage, "is empty", ""},
		{[]string{"heron", "-n", "team-a", "--server", "http://x"}, fault.Usage, "only https", "https://x"},
		{[]string{"heron", "-n", "team-a", "-o", "yaml"}, fault.Usage, "not a format", "./yaml"},
		{[]string{"heron", "-n", "team-a", "-o", "/no/such/dir/file"}, fault.Usage, "does not exist", "mkdir"},
		{[]string{"heron", "-n", "team-a", "-o", ""}, fault.Usage, "directory", ""},
		{[]string{"heron", "-n", "team-a", "--merge", "-o", p.home}, fault.Usage, "directory", ""},
		{[]string{"heron", "-n", "team-a", "--encrypt-to", "nobody"}, fault.Usage, `"nobody"`, ""},
		{[]string{"he/ron", "-n", "team-a"}, fault.Usage, `"he/ron"`, ""},
		{[]string{"heron"}, fault.Failed, `namespace default, but there is one in namespace team-a`, "-n team-a"},
		{[]string{"early", "-n", "team-a"}, fault.Timeout, "not there yet", "--wait"},
		{[]string{"early", "-n", "team-a", "--wait", "--timeout", "1s"}, fault.Timeout, "early-kubeconfig is not there yet", "--timeout"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			out, _, err := p.run(tt.args...)
			if fault.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.says) || out != "" {
				t.Fatalf("got %v (code %d), stdout %q; want code %d", err, fault.CodeOf(err), out, tt.code)
			}
			if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, tt.hint) {
				t.Errorf("hints %q, want %q", hints, tt.hint)
			}
			var wrong *cmdutil.UsageError
			if errors.As(err, &wrong) && !strings.HasPrefix(wrong.Line, "kubeconfig NAME") {
				t.Errorf("usage line %q", wrong.Line)
			}
		})
	}
}
